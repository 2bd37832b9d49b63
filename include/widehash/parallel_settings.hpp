#pragma once

/// \file
/// How several devices share a training. With P devices, B rows to a batch, and the loss averaged over rows:
///
///     data    one batch of B rows cut in P slices; gradients summed; one set of parameters, whose optimizer state is
///             divided among the devices. Equal to one device on the whole batch, rounding apart.
///     tower   P replicas, each on its own batch of B rows:
///               mix gradients     summed at every step: equal to one device on batches of P B rows
///               mix parameters    steps of their own, and every K steps the mean, weighted by the rows that each
///                                 has seen since the last; where rows have weights, by the sum of what its
///                                 gradients were divided by since then (gradient_normaliser())
///               mix predictions   independent towers, seeded apart; the model's prediction is their mean
///     model   the first layer's columns and their optimizer state divided among the devices, which all see every row.
///             Equal to one device. A model too large for one device trains on several.

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
/// Throw ConfigError listing the known names.
ParallelMode parse_parallel_mode(std::string_view name);
Mix parse_mix(std::string_view name);

struct ParallelSettings {
  ParallelMode mode = ParallelMode::data;
  Mix mix = Mix::gradients;     // of towers
  std::uint64_t mix_every = 1;  // steps between two means, for Mix::parameters

  bool operator==(const ParallelSettings&) const = default;
};

/// Whether every device trains a tower of its own that never meets the others: the model is their mean.
constexpr bool is_ensemble(const ParallelSettings& settings) noexcept {
  return settings.mode == ParallelMode::tower && settings.mix == Mix::predictions;
}

/// Rows of all devices' batches together: what one step of the training takes. `batch_size` is B above.
std::uint64_t rows_per_step(const ParallelSettings& settings, std::uint64_t batch_size,
                            int world_size) noexcept;

/// Bytes that the largest share of parameters, gradients and optimizer state takes on a device, at
/// `value_bytes` a number: what grows with the number of columns. On a GPU sums of 8 bytes stand in the place
/// of the first layer's gradient, and where devices exchange it, it stands beside them, and what others send
/// of it too. Batches and activations come on top.
std::uint64_t parameter_bytes(const ParallelSettings& settings, const Architecture& architecture,
                              OptimizerKind optimizer, int world_size, std::size_t value_bytes,
                              DeviceKind kind = DeviceKind::cpu) noexcept;

}  // namespace widehash
