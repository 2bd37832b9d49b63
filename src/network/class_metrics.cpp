#include <widehash/class_metrics.hpp>

namespace widehash {
namespace {

std::optional<double> ratio(double part, double whole) noexcept {
  return whole > 0 ? std::optional(part / whole) : std::nullopt;
}

}  // namespace

std::optional<double> ClassMetrics::precision() const noexcept { return ratio(correct, predicted); }

std::optional<double> ClassMetrics::recall() const noexcept { return ratio(correct, support); }

std::optional<double> ClassMetrics::f1() const noexcept { return ratio(2 * correct, support + predicted); }

MacroAverages macro_averages(std::span<const ClassMetrics> classes) noexcept {
  double count = 0;
  double precision = 0;
  double recall = 0;
  double f1 = 0;
  for (const ClassMetrics& one : classes) {
    if (!one.occurs()) continue;
    ++count;
    precision += one.precision().value_or(0);
    recall += one.recall().value_or(0);
    f1 += one.f1().value_or(0);
  }
  return {ratio(precision, count), ratio(recall, count), ratio(f1, count)};
}

ClassSums::ClassSums(std::uint32_t num_classes, bool has_confusion)
    : classes_(num_classes), confusion_(has_confusion ? std::size_t{num_classes} * num_classes : 0) {}

void ClassSums::add(std::span<const float> targets, std::span<const std::uint32_t> predicted,
                    std::span<const float> weights) noexcept {
  const std::size_t num_classes = classes_.size();
  for (std::size_t row = 0; row < targets.size(); ++row) {
    const double weight = weights.empty() ? 1.0 : weights[row];
    const auto wanted = static_cast<std::size_t>(targets[row]);
    const std::size_t found = predicted[row];
    classes_[wanted].support += weight;
    classes_[found].predicted += weight;
    if (wanted == found) classes_[wanted].correct += weight;
    if (!confusion_.empty()) confusion_[wanted * num_classes + found] += weight;
  }
}

}  // namespace widehash
