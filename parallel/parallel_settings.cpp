#include "step_pieces.hpp"

#include <widehash/error.hpp>
#include <widehash/parallel_settings.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace widehash {
namespace {

// A GPU sums the first layer's gradient in fixed point, in 8-byte numbers.
constexpr std::uint64_t sum_bytes_on_a_gpu = 8;

}  // namespace

const char* to_string(ParallelMode mode) noexcept {
  switch (mode) {
    case ParallelMode::data:
      return "data";
    case ParallelMode::tower:
      return "tower";
    case ParallelMode::model:
      break;
  }
  return "model";
}

const char* to_string(Mix mix) noexcept {
  switch (mix) {
    case Mix::gradients:
      return "gradients";
    case Mix::parameters:
      return "parameters";
    case Mix::predictions:
      break;
  }
  return "predictions";
}

ParallelMode parse_parallel_mode(std::string_view name) {
  for (const ParallelMode mode : {ParallelMode::data, ParallelMode::tower, ParallelMode::model}) {
    if (name == to_string(mode)) return mode;
  }
  throw ConfigError(fmt::format("unknown parallel mode '{}'; use data, tower or model", name));
}

Mix parse_mix(std::string_view name) {
  for (const Mix mix : {Mix::gradients, Mix::parameters, Mix::predictions}) {
    if (name == to_string(mix)) return mix;
  }
  throw ConfigError(fmt::format("unknown mix '{}'; use gradients, parameters or predictions", name));
}

std::uint64_t rows_per_step(const ParallelSettings& settings, std::uint64_t batch_size,
                            int world_size) noexcept {
  return settings.mode == ParallelMode::tower ? batch_size * static_cast<std::uint64_t>(world_size)
                                              : batch_size;
}

std::uint64_t parameter_bytes(const ParallelSettings& settings, const Architecture& architecture,
                              OptimizerKind optimizer, int world_size, std::size_t value_bytes,
                              DeviceKind kind) noexcept {
  const auto world = static_cast<std::uint64_t>(world_size);
  const std::uint64_t first = architecture.num_columns * architecture.first_units();
  const std::uint64_t part = (architecture.num_columns + world - 1) / world * architecture.first_units();
  std::uint64_t tail = architecture.first_units();
  std::uint64_t inputs = architecture.first_units();
  for (std::size_t layer = 0; layer < architecture.hidden.size(); ++layer) {
    const std::uint64_t outputs = architecture.units_after(layer);
    tail += (inputs + 1) * outputs;
    inputs = outputs;
  }
  const auto states = static_cast<std::uint64_t>(num_states(optimizer));
  // The values of the first layer that a device holds, and those among them whose state it holds.
  std::uint64_t held = first;
  std::uint64_t updated = first;
  if (world > 1 && settings.mode == ParallelMode::data) updated = part;
  if (world > 1 && settings.mode == ParallelMode::model) {
    // Both ends of a range may have been moved to borders.
    held = updated = part + 2 * detail::largest_shift(architecture, world_size) * architecture.first_units();
  }
  std::uint64_t bytes =
      ((held + tail) + tail + states * (updated + tail)) * value_bytes;  // the second tail is the gradient's
  if (kind == DeviceKind::cpu) return bytes + held * value_bytes;
  bytes += held * sum_bytes_on_a_gpu;
  if (world == 1 || settings.mode == ParallelMode::model) return bytes;
  const bool adds_gradients = settings.mode == ParallelMode::data || settings.mix == Mix::gradients;
  if (adds_gradients) bytes += held * value_bytes;
  if (adds_gradients || settings.mix == Mix::parameters) bytes += held * value_bytes;  // what others send
  return bytes;
}

}  // namespace widehash
