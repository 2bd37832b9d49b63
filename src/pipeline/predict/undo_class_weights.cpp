#include "undo_class_weights.hpp"

#include <widehash/error.hpp>
#include <widehash/loss.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace widehash {
namespace {

/// Returns by how much each output is too high.
std::vector<double> shifts_of(const Architecture& architecture, std::span<const double> of_class) {
  if (architecture.outputs == 1) return {std::log(of_class[1]) - std::log(of_class[0])};
  std::vector<double> shifts;
  for (const double weight : of_class) shifts.push_back(std::log(weight));
  return shifts;
}

void require_undoable(const Architecture& architecture, std::span<const double> of_class,
                      const std::string& model) {
  const LossKind wanted = architecture.outputs == 1 ? LossKind::logistic : LossKind::softmax;
  if (architecture.loss != wanted || of_class.size() != std::max(architecture.outputs, 2u)) {
    throw ConfigError(fmt::format(
        "{}: its outputs ({} of {}) are not probabilities of classes that add up to 1, so its class "
        "weights cannot be undone; leave out --undo-class-weights",
        model, architecture.outputs, to_string(architecture.loss)));
  }
  const auto none = std::ranges::find(of_class, 0.0);
  if (none == of_class.end()) return;
  throw ConfigError(
      fmt::format("{}: class {} of {} had weight 0 in the training, so its probability is unknown; leave "
                  "out --undo-class-weights",
                  model, none - of_class.begin() + 1, of_class.size()));
}

void lower(Parameters<float>& parameters, std::span<const double> shifts) {
  std::vector<float>& bias = parameters.tail.empty() ? parameters.first_bias : parameters.tail.back().bias;
  for (std::size_t k = 0; k < shifts.size(); ++k)
    bias[k] = static_cast<float>(static_cast<double>(bias[k]) - shifts[k]);
}

}  // namespace

void undo_class_weights(Ensemble<float>& ensemble, std::span<const double> of_class,
                        const std::string& model) {
  if (of_class.empty()) return;
  const Architecture& architecture = ensemble.network.architecture();
  require_undoable(architecture, of_class, model);
  const std::vector<double> shifts = shifts_of(architecture, of_class);
  lower(ensemble.network.parameters(), shifts);
  for (Network<float>& tower : ensemble.other_towers) lower(tower.parameters(), shifts);
}

}  // namespace widehash
