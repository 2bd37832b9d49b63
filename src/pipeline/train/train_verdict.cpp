#include <widehash/train.hpp>

#include <algorithm>
#include <cmath>

namespace widehash {

std::optional<MetricsReport> kept_metrics(const TrainReport& report) {
  if (!std::isfinite(report.best_valid_loss)) return std::nullopt;
  const auto judged =
      std::ranges::find_if(report.epochs, [](const EpochReport& epoch) { return epoch.valid.has_value(); });
  std::optional<MetricsReport> metrics = judged != report.epochs.end() ? judged->valid : report.start;
  if (metrics) (*metrics).*judged_by(*metrics).value = report.best_valid_loss;
  return metrics;
}

bool is_astray(const TrainReport& report) {
  constexpr double plainly = 5;
  const bool is_judged = std::ranges::any_of(report.epochs, [&](const EpochReport& epoch) {
    return epoch.epoch == report.best_epoch && epoch.valid.has_value();
  });
  // With a single label, guessing is perfect.
  if (report.epochs.empty() || is_judged || report.only_target) return false;
  return report.epochs.back().train_loss > plainly * report.loss_of_guessing;
}

}  // namespace widehash
