#pragma once

/// \file
/// The optional parts of the build. Each function has two sources, one for builds with the part and one for
/// those without, so that no header asks which build it is in.

#include <widehash/devices.hpp>

#include <string>
#include <vector>

namespace widehash::detail {

/// CUDA devices; where there are none, `note` says why.
std::vector<CudaDevice> find_cuda_devices(std::string& note);

std::string mpi_version();

}  // namespace widehash::detail
