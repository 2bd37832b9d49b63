#pragma once

/// \file
/// "Did you mean": what a mistyped word was probably meant to be. For schema keys, fields and options.

#include <span>
#include <string>
#include <string_view>

namespace widehash {

/// Returns the candidate with the fewest edits from `word` (insert, delete, replace, swap neighbours; letter
/// case and '-' for '_' are free), the first one among equals; empty if none is within a third of the word's
/// length. Cost: O(candidates * length^2).
std::string nearest(std::string_view word, std::span<const std::string_view> candidates);

/// "; did you mean 'x'?" for the nearest candidate, to end a message with; empty if there is none.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace widehash
