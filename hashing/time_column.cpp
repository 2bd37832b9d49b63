#include <widehash/time_column.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <string_view>

namespace widehash {
namespace {

constexpr std::int64_t seconds_per_day = 86400;

// The range of days that std::chrono's calendar supports.
constexpr std::int64_t first_day =
    std::chrono::sys_days(std::chrono::year::min() / 1 / 1).time_since_epoch().count();
constexpr std::int64_t last_day =
    std::chrono::sys_days(std::chrono::year::max() / 12 / 31).time_since_epoch().count();

std::int64_t units_per_second(TimeUnit unit) noexcept {
  switch (unit) {
    case TimeUnit::millisecond:
    case TimeUnit::day_in_milliseconds:
      return 1000;
    case TimeUnit::microsecond:
      return 1000000;
    case TimeUnit::nanosecond:
      return 1000000000;
    default:
      return 1;
  }
}

std::int64_t floor_div(std::int64_t value, std::int64_t by) noexcept {
  return value / by - (value % by < 0 ? 1 : 0);
}

/// The remainder of floor_div(), never negative. Not computed from the product, which overflows for the most
/// distant times.
std::int64_t floor_mod(std::int64_t value, std::int64_t by) noexcept {
  const std::int64_t rest = value % by;
  return rest < 0 ? rest + by : rest;
}

/// Writes `value` as exactly `digits` digits, with leading zeros.
char* write_digits(std::int64_t value, int digits, char* out) noexcept {
  for (int i = digits; i-- > 0; value /= 10) out[i] = static_cast<char>('0' + value % 10);
  return out + digits;
}

char* write_day(std::int64_t day, char* out) noexcept {
  const std::chrono::year_month_day date(
      std::chrono::sys_days(std::chrono::days(std::clamp(day, first_day, last_day))));
  const int year = static_cast<int>(date.year());
  out = year >= 0 && year <= 9999 ? write_digits(year, 4, out) : std::to_chars(out, out + 6, year).ptr;
  *out++ = '-';
  out = write_digits(static_cast<unsigned>(date.month()), 2, out);
  *out++ = '-';
  return write_digits(static_cast<unsigned>(date.day()), 2, out);
}

template <class Integer>
class TimeColumn final : public ValueColumn {
 public:
  TimeColumn(std::span<const Integer> values, TimeUnit unit, Validity validity) noexcept
      : ValueColumn(values.size()), values_(values), unit_(unit), validity_(validity) {}

  void read(std::size_t begin, std::size_t count, std::string_view* texts, std::size_t stride,
            TextRoom& room) const override {
    for (std::size_t i = 0; i < count; ++i) {
      texts[i * stride] =
          validity_.has(begin + i)
              ? room.keep(write_time_text(values_[begin + i], unit_, room.begin(max_time_bytes)))
              : std::string_view();
    }
  }

 private:
  std::span<const Integer> values_;
  TimeUnit unit_;
  Validity validity_;
};

}  // namespace

char* write_time_text(std::int64_t units, TimeUnit unit, char* out) noexcept {
  if (units == not_a_time) return out;
  if (unit == TimeUnit::day) return write_day(units, out);
  // Others than whole days should not be there; their time of day is not lost.
  constexpr std::int64_t per_day = seconds_per_day * 1000;
  if (unit == TimeUnit::day_in_milliseconds && units % per_day == 0) return write_day(units / per_day, out);
  const std::int64_t per_second = units_per_second(unit);
  const std::int64_t second = floor_div(units, per_second);
  std::int64_t fraction = floor_mod(units, per_second);
  const std::int64_t day = floor_div(second, seconds_per_day);
  const std::int64_t of_day = floor_mod(second, seconds_per_day);
  out = write_day(day, out);
  *out++ = ' ';
  out = write_digits(of_day / 3600, 2, out);
  *out++ = ':';
  out = write_digits(of_day / 60 % 60, 2, out);
  *out++ = ':';
  out = write_digits(of_day % 60, 2, out);
  if (fraction == 0) return out;
  int digits = 0;
  for (std::int64_t unit_part = per_second; unit_part > 1; unit_part /= 10) ++digits;
  for (; fraction % 10 == 0; fraction /= 10) --digits;
  *out++ = '.';
  return write_digits(fraction, digits, out);
}

template <class Integer>
ValueColumnPointer time_column(std::span<const Integer> values, TimeUnit unit, Validity validity) {
  return std::make_shared<TimeColumn<Integer>>(values, unit, validity);
}

template ValueColumnPointer time_column(std::span<const std::int32_t>, TimeUnit, Validity);
template ValueColumnPointer time_column(std::span<const std::int64_t>, TimeUnit, Validity);

}  // namespace widehash
