#pragma once

/// \file
/// Whether mpirun, srun or their like started this process as one of several.

#include <cstdint>

namespace widehash {

struct Launch {
  /// Processes that were started together, this one among them; 1 where there was no launcher. Where a
  /// launcher tells a process its number and not how many there are, the least that it can be.
  std::uint64_t processes = 1;
  /// The environment variable that says so; null where none does.
  const char* variable = nullptr;
};

/// Reads the environment and nothing else: MPI is not started.
Launch launch() noexcept;

}  // namespace widehash
