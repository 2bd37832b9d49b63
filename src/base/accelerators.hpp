#pragma once

/// \file
/// Queries about the optional parts of the build. Each function has two source files, one for builds with the
/// part and one for builds without it, so that no header needs to know which build it is in.

#include <widehash/devices.hpp>

#include <string>
#include <vector>

namespace widehash::detail {

/// Returns the CUDA devices that this build can use. `note` says why there are none, or why one is left out.
std::vector<CudaDevice> find_cuda_devices(std::string& note);

std::string mpi_version();

}  // namespace widehash::detail
