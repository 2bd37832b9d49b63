#include "strategies.hpp"

#include <widehash/error.hpp>

#include <fmt/format.h>

namespace widehash {
namespace {

/// Towers that are trained apart start apart. Tower 0 keeps the seed itself.
std::uint64_t seed_of_tower(std::uint64_t seed, std::size_t tower) noexcept {
  return seed + tower * 0x9E3779B97F4A7C15;
}

}  // namespace

template <class Real>
Network<Real> StartingState<Real>::network(std::size_t tower, ColumnRange columns) const {
  if (file != nullptr) return Network<Real>(architecture, file->parameters(tower, columns));
  Architecture own = architecture;
  own.seed = seed_of_tower(architecture.seed, tower);
  return Network<Real>(own, columns);
}

template <class Real>
Optimizer<Real> StartingState<Real>::make_optimizer(std::size_t tower,
                                                    const Parameters<Real>& parameters) const {
  if (file == nullptr) return Optimizer<Real>(optimizer, parameters);
  return Optimizer<Real>(optimizer, file->states(tower, parameters.columns), file->header().steps.at(tower));
}

template <class Real>
std::unique_ptr<Strategy<Real>> make_strategy(const ParallelSettings& settings, Communicator& communicator,
                                              const StartingState<Real>& start, std::uint64_t batch_size) {
  const bool is_tower = settings.mode == ParallelMode::tower;
  const bool is_ensemble = is_tower && settings.mix == Mix::predictions;
  const std::size_t towers = is_ensemble ? static_cast<std::size_t>(communicator.size()) : 1;
  if (start.file != nullptr && start.file->header().num_towers() != towers) {
    throw ConfigError(fmt::format(
        "the model to go on from has {} independent tower{}, and this training has {}: towers that mix "
        "predictions go on with --parallel tower --mix predictions on as many devices",
        start.file->header().num_towers(), start.file->header().num_towers() == 1 ? "" : "s", towers));
  }
  if (settings.mix_every == 0) throw ConfigError("towers mix after so many steps: 1 at least");
  if (communicator.size() == 1) return detail::make_single_device(communicator, start);
  if (settings.mode == ParallelMode::data) return detail::make_data_parallel(communicator, start);
  if (settings.mode == ParallelMode::model) return detail::make_model_parallel(communicator, start);
  switch (settings.mix) {
    case Mix::gradients:
      return detail::make_tower_gradients(communicator, start, batch_size);
    case Mix::parameters:
      return detail::make_tower_parameters(communicator, start, batch_size, settings.mix_every);
    case Mix::predictions:
      break;
  }
  return detail::make_tower_predictions(communicator, start, batch_size);
}

template struct StartingState<float>;
template struct StartingState<double>;
template std::unique_ptr<Strategy<float>> make_strategy(const ParallelSettings&, Communicator&,
                                                        const StartingState<float>&, std::uint64_t);
template std::unique_ptr<Strategy<double>> make_strategy(const ParallelSettings&, Communicator&,
                                                         const StartingState<double>&, std::uint64_t);

}  // namespace widehash
