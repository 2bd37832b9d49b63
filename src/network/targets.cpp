#include <widehash/error.hpp>
#include <widehash/loss.hpp>

#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>

namespace widehash {
namespace {

[[noreturn]] void throw_bad_target(std::string_view batch_name, std::size_t row, float target,
                                   const std::string& want) {
  throw DataError(std::string(batch_name), row + 1,
                  fmt::format("target {} cannot be trained on: {}", target, want));
}

/// Has no branch in its loops, so that it costs next to nothing when all targets are good.
bool are_good(LossKind kind, std::uint32_t num_outputs, std::span<const float> targets) noexcept {
  const bool are_classes = num_outputs > 1;
  const float largest = are_classes                  ? static_cast<float>(num_outputs - 1)
                        : kind == LossKind::logistic ? 1.0f
                                                     : std::numeric_limits<float>::max();
  const float smallest = are_classes || kind != LossKind::mse ? 0.0f : -largest;
  int bad = 0;
  for (const float target : targets)
    bad |= static_cast<int>(!(target >= smallest)) | static_cast<int>(!(target <= largest));
  if (are_classes && bad == 0) {
    for (const float target : targets)
      bad |= static_cast<int>(target != static_cast<float>(static_cast<std::int32_t>(target)));
  }
  return bad == 0;
}

}  // namespace

void check_targets(LossKind kind, std::uint32_t num_outputs, std::span<const float> targets,
                   std::string_view batch_name) {
  if (kind == LossKind::softmax && num_outputs < 2) {
    throw ConfigError("softmax needs an output per class, at least 2");
  }
  if (num_outputs == 0) throw ConfigError("targets: a network has at least one output");
  if (are_good(kind, num_outputs, targets)) return;
  for (std::size_t row = 0; row < targets.size(); ++row) {
    const float target = targets[row];
    if (num_outputs > 1) {
      if (!(target >= 0 && target < static_cast<float>(num_outputs) && target == std::floor(target))) {
        throw_bad_target(
            batch_name, row, target,
            fmt::format("a network of {0} outputs takes classes 0 to {1}", num_outputs, num_outputs - 1));
      }
      continue;
    }
    if (!std::isfinite(target)) throw_bad_target(batch_name, row, target, "it must be finite");
    if (kind == LossKind::logistic && !(target >= 0 && target <= 1)) {
      throw_bad_target(batch_name, row, target,
                       "the logistic loss takes 0 to 1; if the label has two classes, list their texts as "
                       "positive and negative of the label in the schema; for other numbers, use mse");
    }
    if (kind == LossKind::poisson && target < 0)
      throw_bad_target(batch_name, row, target, "the poisson loss takes counts and rates of 0 or above");
  }
}

template <class Real>
void expand_targets(LossKind kind, std::uint32_t num_outputs, std::span<const float> targets,
                    std::string_view batch_name, std::vector<Real>& dense, const TargetUnits& units) {
  check_targets(kind, num_outputs, targets, batch_name);
  dense.assign(targets.size() * num_outputs, Real{0});
  if (num_outputs == 1) return to_outputs<Real>(units, targets, dense);
  for (std::size_t row = 0; row < targets.size(); ++row)
    dense[row * num_outputs + static_cast<std::size_t>(targets[row])] = 1;
}

template void expand_targets<float>(LossKind, std::uint32_t, std::span<const float>, std::string_view,
                                    std::vector<float>&, const TargetUnits&);
template void expand_targets<double>(LossKind, std::uint32_t, std::span<const float>, std::string_view,
                                     std::vector<double>&, const TargetUnits&);

}  // namespace widehash
