#include <widehash/time_column.hpp>

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>

namespace widehash {
namespace {

constexpr std::int64_t seconds_per_day = 86400;
// About what 64 bits of seconds reach; farther days, which no calendar has, are that one.
constexpr std::int64_t farthest_day = 100'000'000'000'000;

std::int64_t units_per_second(TimeUnit unit) noexcept {
  switch (unit) {
    case TimeUnit::millisecond:
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

/// What floor_div() leaves, from 0 on. Not by its product, which the farthest times have no room for.
std::int64_t floor_mod(std::int64_t value, std::int64_t by) noexcept {
  const std::int64_t rest = value % by;
  return rest < 0 ? rest + by : rest;
}

/// `digits` of them, with zeros in front.
char* write_digits(std::int64_t value, int digits, char* out) noexcept {
  for (int i = digits; i-- > 0; value /= 10) out[i] = static_cast<char>('0' + value % 10);
  return out + digits;
}

/// The Gregorian calendar in both directions, for any day that 64 bits of seconds reach, where std::chrono's ends
/// with the year 32767. In eras of 400 years, which all have 146097 days, and years that begin in March, so that a
/// leap day is the last.
char* write_day(std::int64_t days, char* out) noexcept {
  constexpr std::int64_t days_per_era = 146097;
  constexpr std::int64_t march_of_year_0 = 719468;  // days before 1970
  const std::int64_t since = days + march_of_year_0;
  const std::int64_t era = floor_div(since, days_per_era);
  const std::int64_t day_of_era = since - era * days_per_era;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month_from_march = (5 * day_of_year + 2) / 153;
  const std::int64_t day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
  const std::int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  const std::int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  out = year >= 0 && year <= 9999 ? write_digits(year, 4, out) : std::to_chars(out, out + 20, year).ptr;
  *out++ = '-';
  out = write_digits(month, 2, out);
  *out++ = '-';
  return write_digits(day, 2, out);
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
  if (unit == TimeUnit::day) return write_day(std::clamp(units, -farthest_day, farthest_day), out);
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
