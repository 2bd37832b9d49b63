#pragma once

/// \file
/// How several devices share a training run. With P devices, B rows per batch, and the loss averaged over
/// rows:
///
///     data    One batch of B rows is cut into P slices, and the gradients are summed. There is one set of
///             parameters; its optimizer state is divided among the devices. Equal to one device that trains on
///             the whole batch, except for rounding.
///     tower   P replicas, each on its own batch of B rows:
///               mix gradients     The gradients are summed at every step: equal to one device on batches of
///                                 P B rows.
///               mix parameters    Each replica takes its own steps, and every K steps all take the mean,
///                                 weighted by the rows that each has seen since the last mean. Where rows have
///                                 weights, the mean is weighted by the sum of the numbers that the replica's
///                                 gradients were divided by since then (gradient_normaliser()).
///               mix predictions   The towers are independent and have different seeds; the model's prediction
///                                 is their mean.
///     model   The first layer's columns and their optimizer state are divided among the devices, each of which
///             sees every row. Equal to one device. Trains a model that is too large for one device.

#include <widehash/architecture.hpp>
#include <widehash/device.hpp>
#include <widehash/optimizer.hpp>

#include <cstdint>
#include <string_view>

namespace widehash {

enum class ParallelMode { data, tower, model };
enum class Mix { gradients, parameters, predictions };

const char* to_string(ParallelMode mode) noexcept;
const char* to_string(Mix mix) noexcept;
/// Parse the names that to_string() returns. Throw ConfigError listing the known names.
ParallelMode parse_parallel_mode(std::string_view name);
Mix parse_mix(std::string_view name);

struct ParallelSettings {
  ParallelMode mode = ParallelMode::data;
  Mix mix = Mix::gradients;     // how towers are mixed
  std::uint64_t mix_every = 1;  // steps from one mean to the next, for Mix::parameters

  bool operator==(const ParallelSettings&) const = default;
};

/// Whether every device trains an independent tower, so that the model is the mean of the towers.
constexpr bool is_ensemble(const ParallelSettings& settings) noexcept {
  return settings.mode == ParallelMode::tower && settings.mix == Mix::predictions;
}

/// Rows in the batches of all devices together, which is what one training step takes. `batch_size` is B
/// above.
std::uint64_t rows_per_step(const ParallelSettings& settings, std::uint64_t batch_size,
                            int world_size) noexcept;

/// The most bytes that any device needs for its share of parameters, gradients and optimizer state, with
/// `value_bytes` per number: the memory that grows with the number of columns. On a GPU, sums of 8 bytes take
/// the place of the first layer's gradient; where GPUs exchange the gradient, it is held beside the sums,
/// together with what other devices send of it, and towers that mix parameters need room for what others
/// send. Batches and activations are not included.
std::uint64_t parameter_bytes(const ParallelSettings& settings, const Architecture& architecture,
                              OptimizerKind optimizer, int world_size, std::size_t value_bytes,
                              DeviceKind kind = DeviceKind::cpu) noexcept;

}  // namespace widehash
