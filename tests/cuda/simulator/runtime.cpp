#include "state.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace simulator {
namespace {

struct PlannedFailure {
  int after = 0;
  cudaError_t error = cudaSuccess;
};

Settings current_settings;
bool is_configured = false;
std::map<std::string, PlannedFailure> planned;
std::map<std::string, std::uint64_t> calls;
std::vector<std::string> found_violations;
thread_local int selected_device = 0;
thread_local cudaError_t last_error = cudaSuccess;

/// For programs that know nothing of the simulator: WIDEHASH_SIMULATOR_FAIL=CALL:AFTER plans a failure.
void plan_from_environment() {
  const char* const text = std::getenv("WIDEHASH_SIMULATOR_FAIL");
  if (text == nullptr) return;
  const std::string_view plan = text;
  const std::size_t colon = plan.find(':');
  if (colon == plan.npos) throw std::runtime_error("WIDEHASH_SIMULATOR_FAIL: CALL:AFTER");
  planned[std::string(plan.substr(0, colon))] = {std::atoi(text + colon + 1), cudaErrorLaunchFailure};
}

/// A program whose device code misbehaved must not end as if all were well.
void end_on_violations() {
  const auto found = violations();
  for (const std::string& violation : found) std::fprintf(stderr, "simulator: %s\n", violation.c_str());
  if (!found.empty()) std::_Exit(70);
}

void configure_once() {
  if (is_configured) return;
  configure(settings_from_environment());
  plan_from_environment();
  std::atexit(end_on_violations);
}

}  // namespace

std::recursive_mutex& lock() {
  static std::recursive_mutex mutex;
  return mutex;
}

Settings settings_from_environment() {
  Settings settings;
  if (const char* const text = std::getenv("WIDEHASH_SIMULATOR_ORDER")) {
    const std::string_view order = text;
    if (order == "reverse") {
      settings.order = Order::reverse;
    } else if (order.starts_with("shuffled:")) {
      settings.order = Order::shuffled;
      settings.seed = std::strtoull(text + std::strlen("shuffled:"), nullptr, 10);
    } else if (order != "forward") {
      throw std::runtime_error("WIDEHASH_SIMULATOR_ORDER: forward, reverse or shuffled:SEED");
    }
  }
  if (const char* const text = std::getenv("WIDEHASH_SIMULATOR_POISON")) {
    settings.poison = static_cast<std::uint8_t>(std::strtoul(text, nullptr, 0));
  }
  settings.deferred = std::getenv("WIDEHASH_SIMULATOR_EAGER") == nullptr;
  return settings;
}

void configure(const Settings& settings) {
  const std::lock_guard guard(lock());
  is_configured = true;
  current_settings = settings;
  planned.clear();
  calls.clear();
  found_violations.clear();
  selected_device = 0;
  last_error = cudaSuccess;
  reset_streams();
  reset_memory();
  reset_kernels();
}

const Settings& settings() {
  configure_once();
  return current_settings;
}

void fail_call(const std::string& name, int after, cudaError_t error) {
  const std::lock_guard guard(lock());
  configure_once();
  planned[name] = {after, error};
}

cudaError_t planned_failure(const char* name) {
  configure_once();
  ++calls[name];
  const auto found = planned.find(name);
  if (found == planned.end()) return cudaSuccess;
  if (found->second.after-- > 0) return cudaSuccess;
  const cudaError_t error = found->second.error;
  planned.erase(found);
  return error;
}

void report_violation(std::string what) { found_violations.push_back(std::move(what)); }

std::vector<std::string> violations() {
  const std::lock_guard guard(lock());
  check_guards();
  return found_violations;
}

std::vector<std::string> take_violations() {
  const std::lock_guard guard(lock());
  check_guards();
  return std::exchange(found_violations, {});
}

std::uint64_t num_calls(const std::string& name) {
  const std::lock_guard guard(lock());
  return calls[name];
}

cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

int current_device() { return selected_device; }

}  // namespace simulator

using namespace simulator;

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    case cudaErrorInsufficientDriver:
      return "cudaErrorInsufficientDriver";
    case cudaErrorNoDevice:
      return "cudaErrorNoDevice";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorInvalidResourceHandle:
      return "cudaErrorInvalidResourceHandle";
    case cudaErrorNotReady:
      return "cudaErrorNotReady";
    case cudaErrorIllegalAddress:
      return "cudaErrorIllegalAddress";
    case cudaErrorLaunchFailure:
      return "cudaErrorLaunchFailure";
    default:
      return "cudaErrorUnknown";
  }
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInvalidConfiguration:
      return "invalid configuration argument";
    case cudaErrorInsufficientDriver:
      return "CUDA driver version is insufficient for CUDA runtime version";
    case cudaErrorNoDevice:
      return "no CUDA-capable device is detected";
    case cudaErrorInvalidDevice:
      return "invalid device ordinal";
    case cudaErrorInvalidResourceHandle:
      return "invalid resource handle";
    case cudaErrorNotReady:
      return "device not ready";
    case cudaErrorIllegalAddress:
      return "an illegal memory access was encountered";
    case cudaErrorLaunchFailure:
      return "unspecified launch failure";
    default:
      return "unknown error";
  }
}

cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return last_error; }

cudaError_t cudaDriverGetVersion(int* version) {
  *version = settings().has_driver ? 13000 : 0;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
  const std::lock_guard guard(lock());
  *count = 0;
  if (!settings().has_driver) return remember(cudaErrorInsufficientDriver);
  if (settings().num_devices == 0) return remember(cudaErrorNoDevice);
  *count = settings().num_devices;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  *device = selected_device;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  const std::lock_guard guard(lock());
  if (const auto error = planned_failure("cudaSetDevice"); error != cudaSuccess) return remember(error);
  if (device < 0 || device >= settings().num_devices) return remember(cudaErrorInvalidDevice);
  selected_device = device;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  const std::lock_guard guard(lock());
  if (const auto error = planned_failure("cudaGetDeviceProperties"); error != cudaSuccess)
    return remember(error);
  if (device < 0 || device >= settings().num_devices) return remember(cudaErrorInvalidDevice);
  *properties = {};
  std::snprintf(properties->name, sizeof properties->name, "Simulated device %d", device);
  properties->totalGlobalMem = settings().memory_bytes;
  properties->sharedMemPerBlock = std::min<std::size_t>(48 * 1024, settings().shared_bytes_per_block);
  properties->sharedMemPerBlockOptin = settings().shared_bytes_per_block;
  properties->sharedMemPerMultiprocessor = settings().shared_bytes_per_block + 1024;
  properties->reservedSharedMemPerBlock = 1024;
  properties->regsPerBlock = 65536;
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = 1024;
  properties->maxThreadsPerMultiProcessor = settings().threads_per_multiprocessor;
  properties->maxGridSize[0] = 0x7FFFFFFF;
  properties->maxGridSize[1] = properties->maxGridSize[2] = 65535;
  properties->major = 9;
  properties->multiProcessorCount = settings().multiprocessors;
  properties->l2CacheSize = 32 << 20;
  properties->asyncEngineCount = 2;
  properties->unifiedAddressing = 1;
  properties->concurrentKernels = 1;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  cudaDeviceProp properties;
  if (const auto error = cudaGetDeviceProperties(&properties, device); error != cudaSuccess) return error;
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      *value = properties.maxThreadsPerBlock;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = static_cast<int>(properties.sharedMemPerBlock);
      break;
    case cudaDevAttrWarpSize:
      *value = properties.warpSize;
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = properties.multiProcessorCount;
      break;
    case cudaDevAttrL2CacheSize:
      *value = properties.l2CacheSize;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = properties.major;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = properties.minor;
      break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = static_cast<int>(properties.sharedMemPerMultiprocessor);
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = static_cast<int>(properties.sharedMemPerBlockOptin);
      break;
    default:
      return remember(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  if (device < 0 || device >= settings().num_devices) return remember(cudaErrorInvalidDevice);
  std::snprintf(text, static_cast<std::size_t>(length), "0000:%02x:00.0", device + 1);
  return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int, unsigned int) { return remember(cudaErrorInvalidDevice); }
