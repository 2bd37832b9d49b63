#pragma once

/// \file
/// Columns of times as programs hold them: a count of units since 1970, without a zone. Their canonical text, as
/// files have it and features take parts of:
///
///     days     "2026-11-28"
///     others   "2026-11-28 13:05:09", and a fraction where there is one, without zeros at its end: "13:05:09.25"

#include <widehash/value_column.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace widehash {

enum class TimeUnit { day, second, millisecond, microsecond, nanosecond };

/// What numpy and pandas hold for a time that is missing.
inline constexpr std::int64_t not_a_time = std::numeric_limits<std::int64_t>::min();

/// Bytes that a text takes at most.
inline constexpr std::size_t max_time_bytes = 40;

/// Writes the text of `units` from `out` on, where max_time_bytes can be written, and returns its end. Nothing for
/// not_a_time. Years before 1 and after 9999 are no times to a feature; days beyond the years -32767 and 32767, which
/// no calendar of the library has, are their first and their last.
char* write_time_text(std::int64_t units, TimeUnit unit, char* out) noexcept;

/// Integer is int32_t or int64_t. Looks at memory of the caller's, which must outlive it.
template <class Integer>
ValueColumnPointer time_column(std::span<const Integer> values, TimeUnit unit, Validity validity = {});

}  // namespace widehash
