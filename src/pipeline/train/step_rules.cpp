#include "step_rules.hpp"

#include <widehash/train.hpp>

#include <cmath>
#include <limits>

namespace widehash {
namespace {

constexpr const char* even_steps = "even_steps";
constexpr const char* mean_weight_key = "mean_weight";

/// Returns `mean`, or 0 where it is no usable scale: not finite, or below the smallest normal float.
double as_scale(double mean) {
  return std::isfinite(mean) && mean >= std::numeric_limits<float>::min() ? mean : 0;
}

}  // namespace

StepRules StepRules::of(const Dataset& rows) { return {true, as_scale(row_weights(rows).mean)}; }

StepRules StepRules::of(const TrainingNotes& settings) {
  return {settings.contains(even_steps), as_scale(settings.value(mean_weight_key, 0.0))};
}

void StepRules::put(TrainingNotes& settings) const {
  if (has_even_steps) settings[even_steps] = true;
  if (mean_weight != 0) settings[mean_weight_key] = mean_weight;
}

BatchCut StepRules::cut(std::uint64_t num_rows, std::uint64_t rows_per_step,
                        std::uint64_t least) const noexcept {
  return has_even_steps ? BatchCut::even(num_rows, rows_per_step, least)
                        : BatchCut::full(num_rows, rows_per_step);
}

}  // namespace widehash
