#include "process_link.hpp"

#include <cstdlib>

namespace widehash::detail {

// What Open MPI, MPICH and Slurm put into the environment. Without any of them MPI is never started: a program of one
// process should not pay for it.
bool has_launcher() noexcept {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

}  // namespace widehash::detail
