#include "training_memory.hpp"

#include <widehash/error.hpp>
#include <widehash/parallel_settings.hpp>

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace widehash {
namespace {

constexpr int most_devices_advised = 4096;

/// Bytes on each of `devices` devices.
std::uint64_t needed(const TrainOptions& options, const Architecture& architecture, ParallelMode mode,
                     int devices) {
  ParallelSettings settings = options.parallel;
  settings.mode = mode;
  return parameter_bytes(settings, architecture, options.optimizer.kind, devices, sizeof(float),
                         options.devices.front().kind);
}

/// ", or divide the model with --parallel model over N devices", with the fewest devices that need at most `bytes`
/// each; "" if none do.
std::string divided(const TrainOptions& options, const Architecture& architecture, int world_size,
                    std::uint64_t bytes, std::string_view devices_name) {
  for (int devices = std::max(world_size, 2); devices <= most_devices_advised; ++devices) {
    if (needed(options, architecture, ParallelMode::model, devices) > bytes) continue;
    return fmt::format(", or divide the model with --parallel model over {} {}", devices, devices_name);
  }
  return "";
}

}  // namespace

void require_training_memory(const TrainOptions& options, const Architecture& architecture, int world_size,
                             std::uint64_t usable_bytes) {
  const std::uint64_t bytes = needed(options, architecture, options.parallel.mode, world_size);
  if (options.memory_bytes != 0) {
    if (bytes <= options.memory_bytes) return;
    throw ConfigError(
        fmt::format("parameters, gradients and optimizer state take {} bytes on each device, but the memory "
                    "for them is {}; give more memory{}",
                    bytes, options.memory_bytes,
                    divided(options, architecture, world_size, options.memory_bytes, "devices")));
  }
  if (options.devices.front().kind != DeviceKind::cpu) return;
  // The means of the columns are kept twice: by the job, and by what writes the model.
  const std::uint64_t means = 2 * sizeof(float) * architecture.num_columns;
  const std::uint64_t here = bytes * options.devices.size() + means;
  const std::uint64_t most = usable_bytes / 20 * 19;  // the system, and the rows being read, need some too
  if (here <= most) return;
  throw ConfigError(fmt::format(
      "parameters, gradients, optimizer state and means take {} bytes{}, but this machine, or the container "
      "that "
      "the process runs in, has {}; use fewer hidden units, fewer columns or a larger machine{}",
      here, options.devices.size() > 1 ? fmt::format(" on {} devices", options.devices.size()) : "",
      usable_bytes, divided(options, architecture, world_size, most - std::min(most, means), "hosts")));
}

}  // namespace widehash
