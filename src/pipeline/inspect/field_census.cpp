#include "field_census.hpp"

#include "encode/target_parser.hpp"

#include <widehash/code.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace widehash {
namespace {

constexpr std::size_t max_examples = 5;
// A field of numbers with some texts among them has few texts. Either few rows have these texts, or the
// numbers are unlikely to be codes: at least a fifth of all values, with fractions or of many distinct
// values.
constexpr std::size_t most_others = 8;
constexpr std::uint64_t numbers_per_other = 19;
constexpr std::uint64_t others_per_number = 4;
constexpr double most_codes = 100;
constexpr std::uint64_t rows_that_decide = 1000;

}  // namespace

void FieldCensus::add(std::string_view value) {
  ++rows_;
  if (value.empty()) {
    ++missing_;
    return;
  }
  longest_bytes_ = std::max<std::uint64_t>(longest_bytes_, value.size());
  const std::uint64_t hash = hash_xxh64(value);
  if (exact_)
    add_exactly(value, hash);
  else
    distinct_.add(hash);
  if (!holds_lists_) lists_.add(value);
  if (!is_text_ || times_.is_possible()) add_typed(value);
  if (other_writing_.looks_further() && !is_missing_marker(value)) other_writing_.add(value);
}

void FieldCensus::add_typed(std::string_view value) {
  const auto number = is_text_ ? std::nullopt : parse_number(value);
  if (number) return add_number(value, *number);
  const std::size_t marker = missing_marker_index(value);
  if (marker < missing_markers.size()) {
    ++markers_[marker];
    return;
  }
  if (times_.is_possible()) times_.add(value);
  if (!is_text_) add_other(value);
}

void FieldCensus::add_number(std::string_view value, double number) {
  times_.rule_out();
  all_integers_ = all_integers_ && value.find_first_of(".eE") == std::string_view::npos;
  const bool first = ++numbers_ == 1;
  minimum_ = first ? number : std::min(minimum_, number);
  maximum_ = first ? number : std::max(maximum_, number);
  number_sample_.add(number);
}

void FieldCensus::add_other(std::string_view value) {
  ++other_rows_;
  if (std::ranges::find(others_, value) == others_.end()) {
    is_text_ = others_.size() == most_others || value.size() > kept_bytes;
    if (!is_text_) others_.emplace_back(value);
  }
  // A field of a few distinct texts and hardly any numbers need not be examined to its end.
  is_text_ = is_text_ || (other_rows_ >= rows_that_decide && numbers_ * others_per_number < other_rows_);
  if (is_text_) number_sample_ = {};
}

std::optional<ListCensus::Lists> FieldCensus::lists() const {
  if (holds_lists_ || holds_numbers() || holds_times()) return std::nullopt;
  return lists_.lists(exact_ ? static_cast<double>(values_.size()) : distinct_.estimate());
}

std::vector<std::string> FieldCensus::texts_among_numbers() const {
  if (is_text_ || numbers_ * others_per_number < other_rows_) return {};
  const double distinct = exact_ ? static_cast<double>(values_.size()) : distinct_.estimate();
  const bool may_be_codes = all_integers_ && distinct < most_codes + static_cast<double>(others_.size());
  return may_be_codes && numbers_ < numbers_per_other * other_rows_ ? std::vector<std::string>{} : others_;
}

void FieldCensus::add_exactly(std::string_view value, std::uint64_t hash) {
  const std::uint64_t mask = slots_.size() - 1;
  std::uint64_t at = hash & mask;
  for (; slots_[at] != 0; at = (at + 1) & mask) {
    const std::size_t position = slots_[at] - 1;
    if (hashes_[position] == hash && values_[position].value == value) {
      ++values_[position].count;
      return;
    }
  }
  if (examples_.size() < max_examples) examples_.emplace_back(value.substr(0, kept_bytes));
  if (values_.size() == exact_distinct || value.size() > kept_bytes) {
    exact_ = false;
    // Until now the values themselves were the count. Adding a value again changes nothing.
    for (const std::uint64_t counted : hashes_) distinct_.add(counted);
    distinct_.add(hash);
    values_.clear();
    hashes_.clear();
    slots_.clear();
    return;
  }
  values_.push_back({std::string(value), 1});
  hashes_.push_back(hash);
  slots_[at] = static_cast<std::uint32_t>(values_.size());
  if (values_.size() * 2 > slots_.size()) grow();
}

void FieldCensus::grow() {
  std::vector<std::uint32_t> larger(slots_.size() * 2, 0);
  const std::uint64_t mask = larger.size() - 1;
  for (std::size_t position = 0; position < values_.size(); ++position) {
    std::uint64_t at = hashes_[position] & mask;
    while (larger[at] != 0) at = (at + 1) & mask;
    larger[at] = static_cast<std::uint32_t>(position + 1);
  }
  slots_ = std::move(larger);
}

FieldReport FieldCensus::report() const {
  FieldReport report;
  report.name = name_;
  report.type = rows_ == missing_  ? "empty"
                : holds_times()    ? "time"
                : !holds_numbers() ? "text"
                : all_integers_    ? "integer"
                                   : "number";
  report.missing = missing_;
  report.distinct_is_exact = exact_;
  // An estimate must not exceed the number of rows.
  report.distinct = exact_ ? static_cast<double>(values_.size())
                           : std::min(std::round(distinct_.estimate()), static_cast<double>(rows_));
  report.longest_bytes = longest_bytes_;
  report.minimum = minimum_;
  report.maximum = maximum_;
  report.examples = examples_;
  report.texts_among_numbers = texts_among_numbers();
  if (report.type == "text" && !lists()) report.other_writing = other_writing_.description();
  if (holds_numbers() || holds_times()) {
    report.missing = std::accumulate(markers_.begin(), markers_.end(), missing_);
    report.distinct -=
        static_cast<double>(std::ranges::count_if(markers_, [](std::uint64_t rows) { return rows > 0; }));
    std::erase_if(report.examples, is_missing_marker);
  }
  return report;
}

}  // namespace widehash
