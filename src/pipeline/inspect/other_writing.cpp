#include "other_writing.hpp"

#include "encode/target_parser.hpp"
#include "shown_text.hpp"

#include <widehash/internal/ascii.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace widehash {
namespace {

constexpr std::uint64_t fewest_values = 10;  // to say anything
constexpr std::size_t longest_value = 40;
constexpr std::size_t longest_unit = 4;

constexpr auto patterns = std::to_array<const char*>({"%d.%m.%Y",
                                                      "%m/%d/%Y",
                                                      "%d/%m/%Y",
                                                      "%Y/%m/%d",
                                                      "%d-%m-%Y",
                                                      "%m-%d-%Y",
                                                      "%d %b %Y",
                                                      "%b %d, %Y",
                                                      "%d-%b-%Y",
                                                      "%d.%m.%Y %H:%M",
                                                      "%m/%d/%Y %H:%M",
                                                      "%d/%m/%Y %H:%M",
                                                      "%Y/%m/%d %H:%M",
                                                      "%d-%m-%Y %H:%M",
                                                      "%d.%m.%Y %H:%M:%S",
                                                      "%m/%d/%Y %H:%M:%S",
                                                      "%d/%m/%Y %H:%M:%S",
                                                      "%Y/%m/%d %H:%M:%S",
                                                      "%d-%m-%Y %H:%M:%S",
                                                      "%m/%d/%Y %I:%M %p",
                                                      "%d/%m/%Y %I:%M %p",
                                                      "%m/%d/%Y %I:%M:%S %p",
                                                      "%d/%m/%Y %I:%M:%S %p",
                                                      "%d/%b/%Y:%H:%M:%S %z",
                                                      "%b %e %H:%M:%S",
                                                      "%a %b %e %H:%M:%S %Y"});

const std::vector<std::pair<const char*, TimeFormat>>& formats() {
  static const std::vector<std::pair<const char*, TimeFormat>> all = [] {
    std::vector<std::pair<const char*, TimeFormat>> made;
    made.reserve(patterns.size());
    for (const char* pattern : patterns) made.emplace_back(pattern, TimeFormat(pattern));
    return made;
  }();
  return all;
}

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

std::string_view without_spaces(std::string_view text) noexcept {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::string_view without_sign(std::string_view text) noexcept {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text;
}

/// Whether a number has separators of thousands: "1,234", "1,234,567.5" or "1 234".
bool is_grouped(std::string_view text, char separator) {
  text = without_sign(text);
  const std::string_view whole = text.substr(0, text.find('.'));
  if (whole.find(separator) == std::string_view::npos) return false;
  std::size_t digits = 0;
  bool is_first = true;
  for (const char c : whole) {
    if (c != separator) {
      if (!is_digit(c) || ++digits > 3) return false;
      continue;
    }
    if (is_first ? digits == 0 : digits != 3) return false;
    is_first = false;
    digits = 0;
  }
  const std::string_view fraction = text.substr(whole.size());
  return digits == 3 &&
         std::ranges::all_of(fraction.substr(std::min<std::size_t>(fraction.size(), 1)), is_digit);
}

bool is_grouped(std::string_view text) {
  constexpr std::string_view separators = ", '";
  return std::ranges::any_of(separators, [&](char separator) { return is_grouped(text, separator); });
}

bool is_any_number(std::string_view text) {
  return parse_number(text).has_value() || is_with_decimal_comma(text) || is_grouped(text);
}

/// The rest of an amount without its currency sign; nothing where there is no such sign.
std::optional<std::string_view> without_currency(std::string_view text) {
  for (const std::string_view sign : {"$", "€", "£", "¥"}) {
    if (text.starts_with(sign)) return without_spaces(text.substr(sign.size()));
    if (text.ends_with(sign)) return without_spaces(text.substr(0, text.size() - sign.size()));
  }
  return std::nullopt;
}

constexpr std::array<const char*, 5> names = {
    "numbers with a decimal comma", "numbers with thousands separators", "numbers with percent signs",
    "amounts with a currency sign", "numbers with a unit"};

}  // namespace

void OtherWriting::add(std::string_view value) {
  if (!looks_further()) return;
  ++seen_;
  const std::string_view text = without_spaces(value);
  if (text.size() > longest_value) {
    patterns_.clear();
    return;
  }
  add_time(text);
  add_number(text);
}

void OtherWriting::add_time(std::string_view value) {
  if (seen_ == 1) {
    time_example_ = value;
    for (const auto& [pattern, format] : formats())
      if (format.parse(value)) patterns_.push_back(pattern);
    return;
  }
  if (patterns_.empty()) return;
  std::erase_if(patterns_, [&](const char* pattern) {
    const auto found = std::ranges::find(formats(), pattern, [](const auto& item) { return item.first; });
    return !found->second.parse(value);
  });
}

void OtherWriting::add_number(std::string_view value) {
  if (parse_number(value)) {
    ++plain_;
  } else if (is_grouped(value, ',') && value.find('.') == std::string_view::npos &&
             std::ranges::count(value, ',') == 1) {
    ++three_behind_comma_;
    if (examples_[grouped].empty()) examples_[grouped] = value;
  } else if (is_with_decimal_comma(value)) {
    count(decimal_comma, value);
  } else if (is_grouped(value)) {
    count(grouped, value);
  } else if (value.ends_with('%') && is_any_number(without_spaces(value.substr(0, value.size() - 1)))) {
    count(percent, value);
  } else if (const auto amount = without_currency(value); amount && is_any_number(*amount)) {
    count(currency, value);
  } else {
    const auto letters = std::ranges::find_if(value, detail::is_ascii_letter);
    const std::string_view number(value.begin(), letters);
    const std::string_view letters_behind(letters, value.end());
    // Without a point or a space it may be a name like any other: 12A.
    const bool is_measured = number.ends_with(' ') || number.find('.') != std::string_view::npos;
    if (!is_measured || letters_behind.empty() || letters_behind.size() > longest_unit ||
        !parse_number(without_spaces(number)) || (!unit_.empty() && unit_ != letters_behind))
      return;
    unit_ = letters_behind;
    count(unit, value);
  }
}

void OtherWriting::count(Form form, std::string_view value) {
  if (counts_[form]++ == 0) examples_[form] = value;
}

bool OtherWriting::holds_times() const noexcept { return seen_ >= fewest_values && !patterns_.empty(); }

std::string OtherWriting::description() const {
  if (seen_ < fewest_values) return {};
  if (holds_times()) {
    return fmt::format("times such as {}, which time_format = \"{}\" reads", shown(time_example_),
                       fmt::join(patterns_, "\" or \""));
  }
  std::array<std::uint64_t, num_forms> counts = counts_;
  counts[counts[decimal_comma] > 0 ? decimal_comma : grouped] += three_behind_comma_;
  const auto most = static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
  std::uint64_t written = 0;
  for (const std::uint64_t rows : counts) written += rows;
  constexpr std::uint64_t others_per_hundred = 5;
  const bool are_numbers = (seen_ - plain_ - written) * 100 <= others_per_hundred * seen_;
  // Few of them among plain numbers are reported as texts among numbers instead.
  if (!are_numbers || counts[most] * 2 < seen_) return {};
  return fmt::format("{}, such as {}", names[most], shown(examples_[most]));
}

}  // namespace widehash
