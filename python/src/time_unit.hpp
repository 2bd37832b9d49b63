#pragma once

/// \file
/// Units of time by their names in numpy.

#include <widehash/error.hpp>
#include <widehash/time_column.hpp>

#include <string_view>

#include <fmt/format.h>

namespace widehash::python {

/// Throws ConfigError for units without a canonical text, such as months and hours.
inline TimeUnit unit_of(std::string_view name) {
  if (name == "D") return TimeUnit::day;
  if (name == "s") return TimeUnit::second;
  if (name == "ms") return TimeUnit::millisecond;
  if (name == "us") return TimeUnit::microsecond;
  if (name == "ns") return TimeUnit::nanosecond;
  throw ConfigError(fmt::format("'{}' is not a unit of time; use one of D, s, ms, us, ns", name));
}

}  // namespace widehash::python
