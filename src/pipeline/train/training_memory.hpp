#pragma once

/// \file
/// Whether a model fits into the memory of its devices, known before any of it is allocated.

#include <widehash/architecture.hpp>
#include <widehash/train.hpp>

#include <cstdint>

namespace widehash {

/// Throws ConfigError if parameters, gradients and optimizer state need more than options.memory_bytes on a device.
/// Without that limit, throws it if the CPU devices of this process together need more than 95 % of `usable_bytes`,
/// since the system would then kill the process without a word; GPUs are checked where their memory is allocated.
/// `world_size` is the number of devices of all processes.
void require_training_memory(const TrainOptions& options, const Architecture& architecture, int world_size,
                             std::uint64_t usable_bytes);

}  // namespace widehash
