#include <widehash/time_part.hpp>

#include <chrono>

namespace widehash {

std::uint32_t part_of(const CivilTime& time, TimePart part) noexcept {
  switch (part) {
    case TimePart::none:
      return 0;
    case TimePart::year:
      return time.year;
    case TimePart::month:
      return time.month;
    case TimePart::day:
      return time.day;
    case TimePart::weekday: {
      const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(time.year)),
                                             std::chrono::month(time.month), std::chrono::day(time.day));
      return std::chrono::weekday(std::chrono::sys_days(date)).iso_encoding();
    }
    case TimePart::hour:
      return time.hour;
    case TimePart::minute:
      return time.minute;
  }
  return 0;
}

const char* to_string(TimePart part) noexcept {
  switch (part) {
    case TimePart::none:
      return "";
    case TimePart::year:
      return "year";
    case TimePart::month:
      return "month";
    case TimePart::day:
      return "day";
    case TimePart::weekday:
      return "weekday";
    case TimePart::hour:
      return "hour";
    case TimePart::minute:
      return "minute";
  }
  return "?";
}

}  // namespace widehash
