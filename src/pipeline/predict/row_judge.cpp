#include "row_judge.hpp"

#include "dataset_metrics.hpp"

#include <widehash/error.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace widehash {

namespace {

MetricsSettings settings_of_all(const Architecture& architecture, const Label& label,
                                const std::string& source, bool keeps_losses) {
  MetricsSettings settings = metrics_settings(architecture, label, "the rows of " + source);
  settings.keeps_losses = keeps_losses;
  return settings;
}

}  // namespace

RowJudge::RowJudge(const Architecture& architecture, const Label& label, std::string source,
                   const std::vector<std::string>& by, std::uint64_t most_values, bool keeps_losses)
    : source_(std::move(source)), metrics_(settings_of_all(architecture, label, source_, keeps_losses)) {
  const MetricsSettings settings = metrics_settings(architecture, label, source_);
  for (auto field = by.begin(); field != by.end(); ++field) {
    if (std::find(by.begin(), field, *field) != field)
      throw ConfigError(fmt::format("rows would be judged by '{}' twice; name each field once", *field));
    by_.emplace_back(*field, settings, most_values);
  }
}

void RowJudge::add(std::span<const float> predictions, std::span<const float> targets,
                   std::span<const float> weights, std::span<const RowValues::Field> values) {
  metrics_.add(predictions, targets, weights);
  for (std::size_t i = 0; i < values.size(); ++i) by_[i].add(values[i], predictions, targets, weights);
}

EvaluateReport RowJudge::report(std::uint64_t rejected_rows) const {
  EvaluateReport report{metrics_.report(), rejected_rows};
  if (report.metrics.rows == 0)
    throw DataError(source_, 0, "has no rows to judge by; give a table that has some");
  if (report.metrics.weight == 0)
    throw DataError(source_, 0, "the weights of its rows add up to 0, so there is nothing to judge by");
  for (const MetricsByValue& one : by_) report.by.push_back(one.report());
  return report;
}

}  // namespace widehash
