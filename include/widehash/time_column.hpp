#pragma once

/// \file
/// Columns of times as programs hold them: a number of units since 1970, without a time zone. Their canonical
/// text, which is what files hold and what features take parts of:
///
///     days     "2026-11-28"
///     others   "2026-11-28 13:05:09", with a fraction if there is one, without trailing zeros: "13:05:09.25"

#include <widehash/value_column.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace widehash {

enum class TimeUnit {
  day,
  second,
  millisecond,
  microsecond,
  nanosecond,
  day_in_milliseconds  // milliseconds that are whole days and written as days, as in Arrow's date64
};

/// What numpy and pandas hold for a missing time.
inline constexpr std::int64_t not_a_time = std::numeric_limits<std::int64_t>::min();

/// The most bytes that a text takes.
inline constexpr std::size_t max_time_bytes = 40;

/// Writes the text of `units` at `out`, where max_time_bytes must be writable, and returns its end. Writes
/// nothing for not_a_time. Features do not accept years before 1 and after 9999 as times. Days outside the
/// years -32767 to 32767, which the library's calendar does not have, are written as the first or the last of
/// these days.
char* write_time_text(std::int64_t units, TimeUnit unit, char* out) noexcept;

/// Integer is int32_t or int64_t. Refers to memory of the caller, which must outlive the column.
template <class Integer>
ValueColumnPointer time_column(std::span<const Integer> values, TimeUnit unit, Validity validity = {});

}  // namespace widehash
