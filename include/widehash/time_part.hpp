#pragma once

/// \file
/// Parts of a time that a feature may take instead of its text: "2026-11-28 13:05:00" never occurs again, but
/// its hour and its weekday do. Docs: docs/schema.md, "Parts of times".

#include <cstdint>

namespace widehash {

enum class TimePart {
  none,  ///< no part: the value as it is
  year,
  month,    ///< 1 to 12
  day,      ///< 1 to 31
  weekday,  ///< 1 (Monday) to 7 (Sunday), as in ISO 8601
  hour,     ///< 0 to 23
  minute    ///< 0 to 59
};

/// What a calendar and a clock show, in no particular time zone.
struct CivilTime {
  std::uint32_t year = 1970;
  std::uint32_t month = 1;
  std::uint32_t day = 1;
  std::uint32_t hour = 0;
  std::uint32_t minute = 0;

  bool operator==(const CivilTime&) const = default;
};

/// Returns the part of a time on an existing day; 0 for `none`. The value of a feature is this number in
/// decimal.
std::uint32_t part_of(const CivilTime& time, TimePart part) noexcept;

const char* to_string(TimePart part) noexcept;

}  // namespace widehash
