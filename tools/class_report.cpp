#include "class_report.hpp"

#include "text.hpp"
#include "text_table.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <tuple>
#include <vector>

#include <fmt/format.h>

namespace widehash::tools {
namespace {

constexpr std::size_t max_classes_shown = 20;
constexpr std::size_t max_mistakes_shown = 5;
constexpr std::size_t max_name_width = 32;

std::string share_text(const std::optional<double>& share) {
  return share ? fmt::format("{:.4f}", *share) : "-";
}

std::string name_text(const ClassMetrics& one) { return quoted_value(one.name, max_name_width); }

/// Sorts the most frequent classes first, and those that are only predicted last.
std::vector<ClassMetrics> by_frequency(std::vector<ClassMetrics> classes) {
  std::ranges::stable_sort(classes, [](const ClassMetrics& a, const ClassMetrics& b) {
    return std::tie(a.support, a.predicted) > std::tie(b.support, b.predicted);
  });
  return classes;
}

/// The rows of one class that the model takes for another.
struct Mistake {
  std::size_t target = 0;
  std::size_t predicted = 0;
  double weight = 0;
};

/// Returns the largest mistakes, largest first.
std::vector<Mistake> largest_mistakes(const MetricsReport& metrics) {
  std::vector<Mistake> mistakes;
  const std::size_t num_classes = metrics.classes.size();
  for (std::size_t cell = 0; cell < metrics.confusion.size(); ++cell) {
    const Mistake mistake{cell / num_classes, cell % num_classes, metrics.confusion[cell]};
    if (mistake.target != mistake.predicted && mistake.weight > 0) mistakes.push_back(mistake);
  }
  std::ranges::stable_sort(mistakes, std::ranges::greater{}, &Mistake::weight);
  if (mistakes.size() > max_mistakes_shown) mistakes.resize(max_mistakes_shown);
  return mistakes;
}

/// A blank line and the largest mistakes; "" if there are none.
std::string mistakes_text(const MetricsReport& metrics) {
  const std::vector<Mistake> mistakes = largest_mistakes(metrics);
  if (mistakes.empty()) return "";
  TextTable table("lllrr");
  table.add({"class", "", "predicted as", "weight", "of the class"});
  for (const Mistake& mistake : mistakes) {
    const ClassMetrics& target = metrics.classes[mistake.target];
    table.add({name_text(target), "->", name_text(metrics.classes[mistake.predicted]),
               estimate_text(mistake.weight), share_text(mistake.weight / target.support)});
  }
  return '\n' + table.text();
}

}  // namespace

void set_classes(Json& object, const MetricsReport& metrics) {
  object["macro_precision"] = number_or_null(metrics.macro.precision);
  object["macro_recall"] = number_or_null(metrics.macro.recall);
  object["classes"] = Json::array();
  for (const ClassMetrics& one : metrics.classes) {
    object["classes"].push_back({{"name", one.name},
                                 {"support", one.support},
                                 {"predicted", one.predicted},
                                 {"correct", one.correct},
                                 {"precision", number_or_null(one.precision())},
                                 {"recall", number_or_null(one.recall())},
                                 {"f1", number_or_null(one.f1())}});
  }
  object["confusion"] = nullptr;
  if (metrics.confusion.empty()) return;
  Json matrix = Json::array();
  const auto num_classes = static_cast<std::ptrdiff_t>(metrics.classes.size());
  for (auto row = metrics.confusion.begin(); row != metrics.confusion.end(); row += num_classes)
    matrix.push_back(std::vector<double>(row, row + num_classes));
  object["confusion"] = std::move(matrix);
}

std::string classes_text(const MetricsReport& metrics) {
  const std::vector<ClassMetrics> classes = by_frequency(metrics.classes);
  const std::size_t num_shown = std::min(classes.size(), max_classes_shown);
  TextTable table("lrrrrr");
  table.add({"class", "weight", "predicted", "precision", "recall", "F1"});
  for (std::size_t i = 0; i < num_shown; ++i) {
    const ClassMetrics& one = classes[i];
    table.add({name_text(one), estimate_text(one.support), estimate_text(one.predicted),
               share_text(one.precision()), share_text(one.recall()), share_text(one.f1())});
  }
  std::string text = table.text();
  if (num_shown < classes.size()) {
    const double support =
        std::accumulate(classes.begin() + static_cast<std::ptrdiff_t>(num_shown), classes.end(), 0.0,
                        [](double sum, const ClassMetrics& one) { return sum + one.support; });
    text += fmt::format("{} more, of weight {}: all are in --json\n", count_text(classes.size() - num_shown),
                        estimate_text(support));
  }
  return text + mistakes_text(metrics);
}

}  // namespace widehash::tools
