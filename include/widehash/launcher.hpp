#pragma once

/// \file
/// Detects whether mpirun, srun or a similar launcher started this process as one of several.

#include <cstdint>

namespace widehash {

struct Launch {
  /// Number of processes that were started together, including this one; 1 without a launcher. If a launcher
  /// gives a process its number but not the number of processes, this is the least possible number.
  std::uint64_t processes = 1;
  /// The environment variable that this comes from; null if there is none.
  const char* variable = nullptr;
};

/// Reads only the environment; does not start MPI.
Launch launch() noexcept;

}  // namespace widehash
