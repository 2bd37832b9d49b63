#pragma once

/// \file
/// The devices that this machine has for computing.

#include <cstdint>
#include <string>
#include <vector>

namespace widehash {

struct CudaDevice {
  int index = 0;
  std::string name;
  int compute_major = 0;
  int compute_minor = 0;
  std::uint64_t memory_bytes = 0;
};

struct MachineDevices {
  std::string cpu_name;
  std::size_t cpu_threads = 0;
  std::vector<std::string> cpu_features;  // vector instruction sets, widest last
  std::uint64_t memory_bytes = 0;         // of the machine, or the limit of the container
  std::vector<CudaDevice> cuda;
  std::string cuda_note;  // why there are none, or which of them are left out and why; otherwise empty
  std::string mpi;        // version of the MPI library, or why there is none
};

/// Examines the machine. Never fails; the notes state what could not be determined.
MachineDevices find_devices();

}  // namespace widehash
