#pragma once

/// \file
/// Decides whether the first row of a table names its fields.

#include "sample_reading.hpp"

#include <string>
#include <vector>

namespace widehash::detail {

/// `unsure`: the first row is text that occurs nowhere else, but so may other rows be.
enum class HeaderGuess { no, unsure, yes };

/// Whether the first row holds names of fields, one of which may occur twice; guess_dialect() says by which rules.
/// Requires: there is a row.
HeaderGuess guess_header(const SampleReading& reading);

/// Returns a name that occurs twice; empty if none does.
std::string repeated_name(const std::vector<std::string>& names);

}  // namespace widehash::detail
