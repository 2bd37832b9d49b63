#include "metrics_by_value.hpp"

#include <algorithm>
#include <utility>

namespace widehash {
namespace {

// For one value. There may be a thousand values, so each ranks its rows in less than a megabyte.
constexpr std::uint64_t exact_auc_rows = std::uint64_t{1} << 15;
constexpr std::size_t score_groups = std::size_t{1} << 15;

MetricsSettings of_a_value(MetricsSettings settings) {
  settings.exact_auc_rows = exact_auc_rows;
  settings.score_groups = score_groups;
  settings.calibration_bins = 0;
  settings.confusion_classes = 0;
  settings.keeps_losses = false;
  settings.class_names.clear();
  return settings;
}

}  // namespace

MetricsByValue::MetricsByValue(std::string field, const MetricsSettings& settings, std::uint64_t most_values)
    : field_(std::move(field)), settings_(of_a_value(settings)), most_values_(most_values) {}

std::size_t MetricsByValue::place_of(std::string_view value) {
  if (const auto known = known_.find(value)) return *known;
  if (metrics_.size() == most_values_) {
    if (!others_) others_.emplace(settings_);
    return metrics_.size();
  }
  metrics_.emplace_back(settings_);
  return known_.number_of(value);
}

void MetricsByValue::add(const RowValues::Field& values, std::span<const float> predictions,
                         std::span<const float> targets, std::span<const float> weights) {
  const std::size_t num_rows = targets.size();
  if (num_rows == 0) return;
  const std::size_t outputs = settings_.outputs;
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  // Places are assigned in row order, so that which values come first does not depend on how rows are cut
  // into blocks. A value that occurs only in bad rows gets no place.
  places_.assign(values.values.values().size(), none);
  for (const std::uint32_t number : values.of_row) {
    if (places_[number] == none) places_[number] = place_of(values.values.values()[number]);
  }

  // Brings the rows of each place together, in their order.
  ends_.assign(metrics_.size() + 2, 0);
  for (const std::uint32_t number : values.of_row) ++ends_[places_[number] + 1];
  for (std::size_t i = 1; i < ends_.size(); ++i) ends_[i] += ends_[i - 1];
  gathered_.predictions.resize(num_rows * outputs);
  gathered_.targets.resize(num_rows);
  gathered_.weights.resize(weights.size());
  for (std::size_t row = 0; row < num_rows; ++row) {
    const std::size_t to = ends_[places_[values.of_row[row]]]++;
    std::copy_n(&predictions[row * outputs], outputs, &gathered_.predictions[to * outputs]);
    gathered_.targets[to] = targets[row];
    if (!weights.empty()) gathered_.weights[to] = weights[row];
  }

  std::size_t begin = 0;
  for (std::size_t place = 0; place <= metrics_.size(); ++place) {
    const std::size_t count = ends_[place] - begin;
    if (count != 0) {
      Metrics& metrics = place == metrics_.size() ? *others_ : metrics_[place];
      metrics.add(
          std::span(gathered_.predictions).subspan(begin * outputs, count * outputs),
          std::span(gathered_.targets).subspan(begin, count),
          weights.empty() ? std::span<const float>() : std::span(gathered_.weights).subspan(begin, count));
    }
    begin = ends_[place];
  }
}

FieldMetrics MetricsByValue::report() const {
  FieldMetrics report{.field = field_};
  for (std::size_t i = 0; i < metrics_.size(); ++i)
    report.values.push_back({std::string(known_.values()[i]), metrics_[i].report()});
  std::ranges::stable_sort(report.values, std::ranges::greater(),
                           [](const ValueMetrics& one) { return one.metrics.weight; });
  if (others_) report.others = others_->report();
  return report;
}

}  // namespace widehash
