#include "prediction_lines.hpp"

#include <widehash/internal/escaped_text.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/compile.h>
#include <fmt/format.h>

namespace widehash::tools {

namespace {

/// Writes the kept fields and all outputs, the form whose speed matters.
std::string plain_lines(const PredictedLines& rows) {
  constexpr std::size_t longest_number = 24;
  std::size_t kept_bytes = 0;
  for (const std::string_view kept : rows.kept) kept_bytes += kept.size();
  std::string text(kept_bytes + rows.predictions.size() * (longest_number + 1), '\0');
  char* end = text.data();
  auto kept = rows.kept.begin();
  for (std::size_t i = 0, output = 0; i < rows.predictions.size(); ++i) {
    if (output == 0 && kept != rows.kept.end()) {
      end = std::copy(kept->begin(), kept->end(), end);
      ++kept;
    }
    end = fmt::format_to(end, FMT_COMPILE("{}"), rows.predictions[i]);
    output = output + 1 == rows.outputs ? 0 : output + 1;
    *end++ = output == 0 ? '\n' : '\t';
  }
  text.resize(static_cast<std::size_t>(end - text.data()));
  return text;
}

/// Writes lines of the other forms, row by row.
class LineWriter {
 public:
  LineWriter(const PredictedLines& rows, const LineForm& form)
      : rows_(rows),
        form_(form),
        classes_(form.classes.size()),
        features_(rows.features.size()),
        values_(rows.features.size()) {}

  std::string write() {
    const std::size_t num_rows = rows_.predictions.size() / rows_.outputs;
    for (std::size_t row = 0; row < num_rows; ++row) {
      if (!rows_.kept.empty()) text_ += rows_.kept[row];
      const std::span<const float> outputs = rows_.predictions.subspan(row * rows_.outputs, rows_.outputs);
      const bool is_there = !std::isnan(outputs.front());
      if (form_.top > 0)
        add_likeliest(outputs, is_there);
      else
        add_all(outputs);
      if (form_.effects > 0) add_effects(row, is_there);
      text_.back() = '\n';
    }
    return std::move(text_);
  }

 private:
  void add_number(float number) { fmt::format_to(std::back_inserter(text_), FMT_COMPILE("{}\t"), number); }

  void add_all(std::span<const float> outputs) {
    for (const float output : outputs) add_number(output);
  }

  void add_likeliest(std::span<const float> probabilities, bool is_there) {
    if (is_there) sort_first(classes_, form_.top, [&](std::size_t k) { return probabilities[k]; });
    for (std::size_t i = 0; i < form_.top; ++i) {
      if (is_there) append_escaped(text_, form_.classes[classes_[i]]);
      text_ += '\t';
      add_number(is_there ? probabilities[classes_[i]] : probabilities.front());
    }
  }

  void add_effects(std::size_t row, bool is_there) {
    const std::span<const float> effects = rows_.effects.subspan(row * features_.size(), features_.size());
    const std::size_t shown = std::min(form_.effects, features_.size());
    if (is_there) {
      sort_first(features_, shown, [&](std::size_t f) { return std::abs(effects[f]); });
      std::string_view rest = rows_.values[row];
      for (std::string_view& value : values_) {
        value = rest.substr(0, rest.find('\t'));
        rest.remove_prefix(value.size() + 1);
      }
    }
    for (std::size_t i = 0; i < shown; ++i) {
      if (is_there) {
        append_escaped(text_, rows_.features[features_[i]]);
        text_ += '\t';
        text_ += values_[features_[i]];
        fmt::format_to(std::back_inserter(text_), FMT_COMPILE("\t{:.4g}\t"), effects[features_[i]]);
      } else {
        text_ += "\t\tnan\t";
      }
    }
  }

  /// Puts the `first` places with the largest keys first, in descending order and ties in their order.
  template <class Key>
  static void sort_first(std::vector<std::size_t>& places, std::size_t first, const Key& key) {
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::partial_sort(
        places.begin(), places.begin() + static_cast<std::ptrdiff_t>(first), places.end(),
        [&](std::size_t a, std::size_t b) { return key(a) != key(b) ? key(a) > key(b) : a < b; });
  }

  const PredictedLines& rows_;
  const LineForm& form_;
  std::string text_;
  std::vector<std::size_t> classes_;
  std::vector<std::size_t> features_;
  std::vector<std::string_view> values_;  // one per feature, of the current row
};

}  // namespace

std::string prediction_lines(const PredictedLines& rows, const LineForm& form) {
  return form.top == 0 && form.effects == 0 ? plain_lines(rows) : LineWriter(rows, form).write();
}

}  // namespace widehash::tools
