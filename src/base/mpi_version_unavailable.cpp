#include "accelerators.hpp"

namespace widehash::detail {

std::string mpi_version() { return "built without MPI"; }

}  // namespace widehash::detail
