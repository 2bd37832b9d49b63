#include "process_link.hpp"

#include <widehash/error.hpp>

namespace widehash::detail {

ProcessLink* process_link() {
  if (!has_launcher()) return nullptr;
  throw ConfigError(
      "this program was started by mpirun but was built without MPI: start it alone, or install an MPI "
      "library (Debian: libopenmpi-dev) and build again");
}

}  // namespace widehash::detail
