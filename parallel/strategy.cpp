#include "strategies.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/splitmix64.hpp>

#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

/// Towers that are trained separately start from different seeds. Tower 0 keeps the original seed.
Architecture of_tower(Architecture architecture, std::size_t tower) {
  architecture.seed += tower * splitmix64_step;
  return architecture;
}

/// `whole` reduced to `columns`, which must be among its own.
template <class Real>
Parameters<Real> cut(const Parameters<Real>& whole, ColumnRange columns) {
  Parameters<Real> part;
  part.columns = columns;
  part.units = whole.units;
  const auto begin = whole.first_weights.begin() +
                     static_cast<std::ptrdiff_t>((columns.begin - whole.columns.begin) * whole.units);
  part.first_weights.assign(begin, begin + static_cast<std::ptrdiff_t>(columns.size() * whole.units));
  part.first_bias = whole.first_bias;
  part.tail = whole.tail;
  return part;
}

void require_towers(const std::string& path, std::size_t before, std::size_t now) {
  if (before == now) return;
  if (before == 1) {
    throw ConfigError(fmt::format(
        "{}: the model to continue from is one network, but this training has {} independent towers; to "
        "continue with one network, use --mix gradients, --mix parameters, --parallel data or --parallel "
        "model",
        path, now));
  }
  throw ConfigError(
      fmt::format("{}: the model to continue from has {} independent towers, but this training has {}; to "
                  "continue with its towers, use --parallel tower --mix predictions on as many devices",
                  path, before, now));
}

/// FTRL's weight is a function of its states and of these settings. With other settings, the same states give
/// a different weight.
bool same_ftrl_weights(const OptimizerSettings& a, const OptimizerSettings& b) noexcept {
  return a.learning_rate == b.learning_rate && a.beta == b.beta && a.l1 == b.l1 && a.l2 == b.l2;
}

/// A new optimizer for `columns` of `whole`. Copies no parameters if these are all its columns.
template <class Real>
Optimizer<Real> new_optimizer(const OptimizerSettings& settings, const Parameters<Real>& whole,
                              ColumnRange columns) {
  if (columns == whole.columns) return Optimizer<Real>(settings, whole);
  return Optimizer<Real>(settings, cut(whole, columns));
}

/// The optimizer that continues training a tower of a file, with the given settings and parameters.
template <class Real>
Optimizer<Real> go_on(const OptimizerSettings& settings, const ModelFile<Real>& file, std::size_t tower,
                      const Parameters<Real>& parameters, ColumnRange columns) {
  const OptimizerSettings& before = file.header().optimizer;
  if (settings.kind != before.kind) return new_optimizer(settings, parameters, columns);
  Optimizer<Real> optimizer(settings, file.states(tower, columns), file.header().steps.at(tower));
  if (settings.kind == OptimizerKind::ftrl && !same_ftrl_weights(settings, before))
    optimizer.anchor_ftrl(parameters);
  return optimizer;
}

}  // namespace

template <class Real>
std::unique_ptr<Replica<Real>> StartingState<Real>::replica(const Device& device, std::size_t tower,
                                                            const ReplicaShape& shape) const {
  Network<Real> network = file != nullptr
                              ? Network<Real>(architecture, file->parameters(tower, shape.columns))
                              : Network<Real>(of_tower(architecture, tower), shape.columns);
  Optimizer<Real> own_optimizer =
      file != nullptr ? go_on(optimizer, *file, tower, network.parameters(), shape.updated_columns)
                      : new_optimizer(optimizer, network.parameters(), shape.updated_columns);
  if (device.kind == DeviceKind::cpu)
    return make_cpu_replica(std::move(network), std::move(own_optimizer), shape);
  if constexpr (std::is_same_v<Real, float>)
    return make_cuda_replica(device.index, network, own_optimizer, shape);
  throw ConfigError("GPUs train in float32");
}

template <class Real>
std::unique_ptr<Strategy<Real>> make_strategy(const ParallelSettings& settings, Communicator& communicator,
                                              const StartingState<Real>& start) {
  const std::size_t towers = is_ensemble(settings) ? static_cast<std::size_t>(communicator.size()) : 1;
  if (start.file != nullptr) require_towers(start.file->path(), start.file->header().num_towers(), towers);
  if (settings.mix_every == 0) throw ConfigError("towers must mix every 1 or more steps");
  if (communicator.size() == 1) return detail::make_single_device(communicator, start);
  if (settings.mode == ParallelMode::data) return detail::make_data_parallel(communicator, start);
  if (settings.mode == ParallelMode::model) return detail::make_model_parallel(communicator, start);
  switch (settings.mix) {
    case Mix::gradients:
      return detail::make_tower_gradients(communicator, start);
    case Mix::parameters:
      return detail::make_tower_parameters(communicator, start, settings.mix_every);
    case Mix::predictions:
      break;
  }
  return detail::make_tower_predictions(communicator, start);
}

template struct StartingState<float>;
template struct StartingState<double>;
template std::unique_ptr<Strategy<float>> make_strategy(const ParallelSettings&, Communicator&,
                                                        const StartingState<float>&);
template std::unique_ptr<Strategy<double>> make_strategy(const ParallelSettings&, Communicator&,
                                                         const StartingState<double>&);

}  // namespace widehash
