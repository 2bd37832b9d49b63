#include "accelerators.hpp"

#include <widehash/devices.hpp>
#include <widehash/internal/usable_memory.hpp>
#include <widehash/threads.hpp>

#include <fstream>

namespace widehash {
namespace {

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::vector<std::string> cpu_features() {
  std::vector<std::string> found;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) found.emplace_back("sse4.2");
  if (__builtin_cpu_supports("avx2")) found.emplace_back("avx2");
  if (__builtin_cpu_supports("avx512bw")) found.emplace_back("avx512");
#elif defined(__aarch64__)
  found.emplace_back("neon");
#endif
  return found;
}

}  // namespace

MachineDevices find_devices() {
  MachineDevices machine;
  machine.cpu_name = cpu_name();
  machine.cpu_threads = available_threads();
  machine.cpu_features = cpu_features();
  machine.memory_bytes = usable_memory_bytes();
  machine.cuda = detail::find_cuda_devices(machine.cuda_note);
  machine.mpi = detail::mpi_version();
  return machine;
}

}  // namespace widehash
