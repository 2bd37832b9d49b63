#pragma once

/// \file
/// How times are written in a field.

#include <widehash/time_part.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace widehash {

/// Immutable; may be shared by threads.
///
///     iso       2026-11-28 or 20261128; optionally followed by T or a space, and 13, 13:05, 13:05:09 or 13:05:09.25,
///               with or without the colons, and a zone
///     unix      seconds since 1970 in UTC, with or without a fraction
///     unix_ms   milliseconds since then
///     pattern   as of strptime: %Y %y %m %d %e %j %H %I %M %S %f %p %b %B %a %A %z %F %T %%; any other text stands for
///               itself
///
/// Years are 1 to 9999; %y is 1969 to 2068; %j is the day of the year. Names of months and days may be
/// written in full or as their first three letters. A zone (Z, UTC, GMT, +02:00, +0200, +02) is accepted and
/// has no effect: the parts are those that were written.
class TimeFormat {
 public:
  /// The format "iso".
  TimeFormat() = default;
  /// Throws ConfigError if `text` is not a format.
  explicit TimeFormat(std::string_view text);

  /// Whether times in this format have the part.
  bool gives(TimePart part) const noexcept;

  /// Empty if `text` as a whole is not a time in this format, or if that time does not exist (30 February).
  std::optional<CivilTime> parse(std::string_view text) const noexcept;

 private:
  enum class Kind { iso, unix_seconds, unix_milliseconds, pattern };

  Kind kind_ = Kind::iso;
  std::string pattern_;
};

}  // namespace widehash
