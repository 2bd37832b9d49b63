#pragma once

/// \file
/// "Did you mean": the word a mistyped one was probably meant to be. For keys of a schema, fields, options.

#include <span>
#include <string>
#include <string_view>

namespace widehash {

/// The candidate nearest to `word` by edits (insert, delete, replace, swap neighbours; letter case and '-'
/// for '_' are free), the first of equals; empty where none is within a third of the word's length. Cost:
/// O(candidates * length^2).
std::string nearest(std::string_view word, std::span<const std::string_view> candidates);

/// "; did you mean 'x'?" for the nearest candidate, or nothing: to end a message with.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace widehash
