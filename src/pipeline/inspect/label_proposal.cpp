#include "label_proposal.hpp"

#include "encode/target_parser.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/ascii.hpp>
#include <widehash/internal/utf8.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace widehash {
namespace {

constexpr std::size_t max_classes = 1000;
// More whole numbers than this are more likely amounts than classes.
constexpr std::size_t most_numbered_classes = 20;
constexpr std::size_t shown_classes = 8;

using CountedValue = FieldCensus::CountedValue;

using detail::to_ascii_lower;

bool is_word_for_no(std::string_view text) {
  static constexpr std::string_view words[] = {"no",       "n",   "false", "f", "off",
                                               "negative", "neg", "never", "-"};
  return std::find(std::begin(words), std::end(words), to_ascii_lower(text)) != std::end(words);
}

/// Whether `text` negates `other`: "not clicked" of "clicked", "non-smoker" of "smoker", "unpaid" of "paid".
bool denies(std::string_view text, std::string_view other) {
  const std::string whole = to_ascii_lower(text);
  for (const std::string_view prefix : {"not", "non", "no", "un"}) {
    for (const std::string_view between : {" ", "-", "_", ""}) {
      if (whole == fmt::format("{}{}{}", prefix, between, to_ascii_lower(other))) return true;
    }
  }
  return false;
}

/// Whether `a` is the negative one of two values. Their words decide if they can; otherwise the rarer value
/// is positive.
bool is_negative(const CountedValue& a, const CountedValue& b) {
  if (is_word_for_no(a.value) != is_word_for_no(b.value)) return is_word_for_no(a.value);
  if (denies(a.value, b.value) || denies(b.value, a.value)) return denies(a.value, b.value);
  return a.count != b.count ? a.count > b.count : a.value < b.value;
}

std::string quoted_list(const std::vector<std::string>& texts) {
  const std::vector<std::string> shown(
      texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(std::min(texts.size(), shown_classes)));
  return fmt::format("\"{}\"{}", fmt::join(shown, "\", \""), shown.size() < texts.size() ? ", ..." : "");
}

class Proposer {
 public:
  explicit Proposer(const FieldCensus& census) : census_(census), field_(census.report()) {
    result_.label.field = field_.name;
    for (const CountedValue& value : census.values())
      (is_missing_marker(value.value) ? markers_ : values_).push_back(value);
  }

  LabelProposal run() {
    if (census_.holds_numbers()) {
      propose_of_numbers();
    } else if (field_.type == "text" || field_.type == "time") {
      propose_of_texts();
    }
    note_missing();
    return std::move(result_);
  }

 private:
  void note(const std::string& text) {
    result_.notes.push_back(fmt::format("label '{}': {}", field_.name, text));
  }

  void propose_of_numbers() {
    constexpr double largest = std::numeric_limits<float>::max();
    if (field_.minimum < -largest || field_.maximum > largest)
      throw ConfigError(fmt::format(
          "label '{}' holds numbers from {} to {}, beyond the largest float32 (3.4e38), which a label "
          "cannot be; divide them, or choose another label",
          field_.name, field_.minimum, field_.maximum));
    std::map<double, std::vector<std::string>> texts;  // of each number
    for (const CountedValue& value : values_)
      texts[parse_number(value.value).value_or(0)].push_back(value.value);
    if (texts.size() == 2) {
      const auto low = texts.begin();
      const auto high = std::next(low);
      if (low->first == 0 && high->first == 1) {
        note("0 and 1 as they are; 1 is positive");
      } else {
        propose_two(low->second, high->second);
      }
    } else if (are_numbered_classes(texts)) {
      result_.label.kind = LabelKind::classes;
      for (const auto& [number, names] : texts) result_.label.classes.push_back(names.front());
      note(fmt::format(
          "{} classes, {}, for `train --loss softmax`; if they are amounts, grades or counts, write label = "
          "\"{}\" in the schema and give `train` --loss mse, or poisson for counts",
          texts.size(), quoted_list(result_.label.classes), field_.name));
    } else {
      if (texts.size() == 1) note("all rows have the same value, so there is nothing to learn");
      note(
          "a number, for `train --loss mse`, or poisson if it is a count or a rate; if its values are kinds "
          "and not amounts, list them as `classes`");
    }
  }

  /// Whether the numbers are consecutive from 0 or 1 (0, 1, 2 or 1, 2, 3, 4, 5), each written in one way
  /// only.
  bool are_numbered_classes(const std::map<double, std::vector<std::string>>& texts) const {
    if (texts.size() < 3 || texts.size() > most_numbered_classes || values_.size() != texts.size())
      return false;
    double expected = texts.begin()->first;
    if (expected != 0 && expected != 1) return false;
    return std::all_of(texts.begin(), texts.end(),
                       [&](const auto& item) { return item.first == expected++; });
  }

  void propose_of_texts() {
    if (values_.size() < 2 || values_.size() > max_classes) {
      throw ConfigError(
          fmt::format("label '{}' is {} with {} distinct value{}{}: neither a number nor a small set of "
                      "classes; choose another label",
                      field_.name, field_.type == "time" ? "a time" : "text", field_.distinct,
                      field_.distinct == 1 ? "" : "s", of_values_that_are_no_classes()));
    }
    for (const CountedValue& value : values_) {
      if (is_utf8(value.value)) continue;
      throw ConfigError(fmt::format(
          "label '{}': its value '{}' is not UTF-8, but a schema lists the values of a label in UTF-8; if it "
          "is Latin-1, read the file with `iconv -f LATIN1 -t UTF-8 < FILE | widehash ... -`",
          field_.name, shown_value(value.value)));
    }
    if (values_.size() == 2) {
      const bool first_is_negative = is_negative(values_[0], values_[1]);
      propose_two({values_[first_is_negative ? 0 : 1].value}, {values_[first_is_negative ? 1 : 0].value});
      return;
    }
    std::sort(values_.begin(), values_.end(), [](const CountedValue& a, const CountedValue& b) {
      return a.count != b.count ? a.count > b.count : a.value < b.value;
    });
    result_.label.kind = LabelKind::classes;
    for (const CountedValue& value : values_) result_.label.classes.push_back(value.value);
    note(fmt::format("{} classes, {}, for `train --loss softmax`", values_.size(),
                     quoted_list(result_.label.classes)));
  }

  /// Why there are fewer classes than distinct values; "" where there are not fewer.
  std::string of_values_that_are_no_classes() const {
    if (field_.longest_bytes > FieldCensus::kept_bytes)
      return fmt::format(", some longer than {} bytes", FieldCensus::kept_bytes);
    if (markers_.empty()) return "";
    return fmt::format(", of which {} {} as missing", quoted_list(texts_of(markers_)),
                       markers_.size() == 1 ? "is taken" : "are taken");
  }

  static std::vector<std::string> texts_of(const std::vector<CountedValue>& values) {
    std::vector<std::string> texts;
    texts.reserve(values.size());
    for (const CountedValue& value : values) texts.push_back(value.value);
    return texts;
  }

  void propose_two(std::vector<std::string> negative, std::vector<std::string> positive) {
    result_.label.kind = LabelKind::binary;
    result_.label.negative = std::move(negative);
    result_.label.positive = std::move(positive);
    note(
        fmt::format("positive is {} ({} rows), negative is {} ({} rows); swap them in the schema if it is "
                    "the other way round",
                    quoted_list(result_.label.positive), rows_of(result_.label.positive),
                    quoted_list(result_.label.negative), rows_of(result_.label.negative)));
  }

  std::uint64_t rows_of(const std::vector<std::string>& texts) const {
    std::uint64_t rows = 0;
    for (const CountedValue& value : values_)
      rows += std::find(texts.begin(), texts.end(), value.value) != texts.end() ? value.count : 0;
    return rows;
  }

  void note_missing() {
    std::uint64_t rows = field_.missing;
    const std::vector<std::string> texts = texts_of(markers_);
    for (const CountedValue& marker : markers_)
      if (!census_.holds_numbers()) rows += marker.count;  // field_.missing of a numeric label has them
    if (rows == 0) return;
    note(fmt::format("{} no value{}; `transform` rejects such rows: remove them, or give it --max-bad-rows",
                     rows == 1 ? "1 row has" : fmt::format("{} rows have", rows),
                     texts.empty() ? "" : " (" + quoted_list(texts) + " taken as missing)"));
  }

  const FieldCensus& census_;
  FieldReport field_;
  std::vector<CountedValue> values_;
  std::vector<CountedValue> markers_;
  LabelProposal result_;
};

}  // namespace

LabelProposal propose_label(const FieldCensus& census) { return Proposer(census).run(); }

}  // namespace widehash
