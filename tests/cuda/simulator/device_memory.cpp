#include "device_code.hpp"
#include "state.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <map>
#include <string>
#include <string_view>

#include <cuda_runtime_api.h>
#include <sys/mman.h>
#include <unistd.h>

// An allocation has pages of its own, ends with its last page, and is followed by an unmapped page, so that a
// kernel that reads or writes past the end stops at once. The space between the start of the first page and
// the allocation is filled with a mark that is checked later. Pages are accessible only while a DeviceAccess
// lives, and no address is used twice.
namespace simulator {
namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t alignment = 256;  // that of cudaMalloc
constexpr std::size_t reserved_bytes = std::size_t{1} << 38;
constexpr std::uint8_t guard_byte = 0xB7;

struct Allocation {
  std::size_t bytes = 0;
  char* pages = nullptr;
  std::size_t mapped_bytes = 0;
};

struct Memory {
  char* begin = nullptr;
  std::size_t taken = 0;
  std::size_t in_use = 0;
  int access_depth = 0;
  std::map<const char*, Allocation> allocations;
};

constexpr int max_devices = 16;
Memory memories[max_devices];
std::map<const char*, std::size_t> pinned;
std::map<const char*, std::size_t> unpinned;  // freed since the start of the test: closed to all access

std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

/// The allocation at or before an address.
const std::pair<const char* const, Allocation>* allocation_before(const Memory& memory, const char* at) {
  const auto after = memory.allocations.upper_bound(at);
  return after == memory.allocations.begin() ? nullptr : &*std::prev(after);
}

void protect(const Allocation& allocation, int protection) {
  ::mprotect(allocation.pages, allocation.mapped_bytes, protection);
}

bool guards_are_whole(const char* start, const Allocation& allocation) {
  const auto is_guard = [](char c) { return static_cast<std::uint8_t>(c) == guard_byte; };
  return std::all_of(static_cast<const char*>(allocation.pages), start, is_guard) &&
         std::all_of(start + allocation.bytes,
                     static_cast<const char*>(allocation.pages) + allocation.mapped_bytes, is_guard);
}

void check_allocation(int device, const char* start, const Allocation& allocation) {
  const DeviceAccess access(device);
  if (!guards_are_whole(start, allocation)) {
    report_violation("a write beside an allocation of " + std::to_string(allocation.bytes) +
                     " bytes on device " + std::to_string(device));
  }
}

/// Reports what was touched; the process then ends as it would have.
void explain_fault(int signal_number, siginfo_t* info, void*) {
  const auto* const at = static_cast<const char*>(info->si_addr);
  for (int device = 0; device < max_devices; ++device) {
    const Memory& memory = memories[device];
    if (memory.begin == nullptr || at < memory.begin || at >= memory.begin + reserved_bytes) continue;
    std::string what = "simulator: ";
    const auto* const near = allocation_before(memory, at);
    if (near != nullptr && at < near->first + near->second.bytes) {
      what += "host code, or a kernel of another device, touched memory of device " + std::to_string(device) +
              "\n";
    } else {
      what += "device memory was touched outside any allocation of device " + std::to_string(device);
      if (near != nullptr) {
        what += ", " + std::to_string(at - near->first) + " bytes after the start of one of " +
                std::to_string(near->second.bytes) + " bytes";
      }
      what += "\n";
    }
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, what.data(), what.size());
  }
  const auto after = unpinned.upper_bound(at);
  if (after != unpinned.begin() && at < std::prev(after)->first + std::prev(after)->second) {
    constexpr std::string_view what = "simulator: pinned memory was touched that had been given back\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, what.data(), what.size());
  }
  std::signal(signal_number, SIG_DFL);
}

void install_fault_handler() {
  static bool installed = false;
  if (installed) return;
  installed = true;
  struct sigaction action = {};
  action.sa_sigaction = explain_fault;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGSEGV, &action, nullptr);
  ::sigaction(SIGBUS, &action, nullptr);
}

cudaError_t allocate(void** pointer, std::size_t bytes, int device) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  Memory& memory = memories[device];
  if (memory.in_use + round_up(bytes, alignment) > settings().memory_bytes) return cudaErrorMemoryAllocation;
  if (memory.begin == nullptr) {
    void* const reserved =
        ::mmap(nullptr, reserved_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) return cudaErrorMemoryAllocation;
    memory.begin = static_cast<char*>(reserved);
    install_fault_handler();
  }
  Allocation allocation{.bytes = bytes, .pages = memory.begin + memory.taken};
  allocation.mapped_bytes = round_up(bytes, page_bytes);
  if (memory.taken + allocation.mapped_bytes + page_bytes > reserved_bytes) return cudaErrorMemoryAllocation;
  memory.taken += allocation.mapped_bytes + page_bytes;
  char* const start = allocation.pages + allocation.mapped_bytes - round_up(bytes, alignment);
  protect(allocation, PROT_READ | PROT_WRITE);
  std::memset(allocation.pages, guard_byte, allocation.mapped_bytes);
  std::memset(start, settings().poison, bytes);
  if (memory.access_depth == 0) protect(allocation, PROT_NONE);
  memory.in_use += round_up(bytes, alignment);
  memory.allocations.emplace(start, allocation);
  *pointer = start;
  return cudaSuccess;
}

void release(int device, std::map<const char*, Allocation>::iterator found) {
  Memory& memory = memories[device];
  check_allocation(device, found->first, found->second);
  memory.in_use -= round_up(found->second.bytes, alignment);
  protect(found->second, PROT_NONE);
  ::madvise(found->second.pages, found->second.mapped_bytes, MADV_DONTNEED);
  memory.allocations.erase(found);
}

}  // namespace

DeviceAccess::DeviceAccess(int device) : device_(device) {
  lock().lock();
  if (memories[device_].access_depth++ == 0) {
    for (const auto& [start, allocation] : memories[device_].allocations)
      protect(allocation, PROT_READ | PROT_WRITE);
  }
}

DeviceAccess::~DeviceAccess() {
  if (--memories[device_].access_depth == 0) {
    for (const auto& [start, allocation] : memories[device_].allocations) protect(allocation, PROT_NONE);
  }
  lock().unlock();
}

void reset_memory() {
  for (Memory& memory : memories) {
    if (memory.begin != nullptr) ::munmap(memory.begin, reserved_bytes);
    memory = {};
  }
  for (const auto& [start, bytes] : unpinned) ::munmap(const_cast<char*>(start), bytes);
  unpinned.clear();
}

int device_of(const void* pointer, std::size_t bytes) {
  const auto* const at = static_cast<const char*>(pointer);
  for (int device = 0; device < settings().num_devices; ++device) {
    const Memory& memory = memories[device];
    if (memory.begin == nullptr || at < memory.begin || at >= memory.begin + reserved_bytes) continue;
    const auto* const found = allocation_before(memory, at);
    const bool is_inside = found != nullptr && at + bytes <= found->first + found->second.bytes;
    return is_inside ? device : -2;
  }
  return -1;
}

void check_read(const void* at, std::size_t bytes) {
  if (device_of(at, bytes) == -2)
    report_violation("a read of " + std::to_string(bytes) + " bytes beside an allocation");
}

bool is_pinned(const void* pointer) {
  const auto* const at = static_cast<const char*>(pointer);
  const auto after = pinned.upper_bound(at);
  return after != pinned.begin() && at < std::prev(after)->first + std::prev(after)->second;
}

void check_guards() {
  for (int device = 0; device < settings().num_devices; ++device) {
    for (const auto& [start, allocation] : memories[device].allocations)
      check_allocation(device, start, allocation);
  }
}

std::size_t bytes_in_use(int device) {
  const std::lock_guard guard(lock());
  return memories[device].in_use;
}

}  // namespace simulator

using namespace simulator;

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  const std::lock_guard guard(lock());
  if (const auto error = planned_failure("cudaMalloc"); error != cudaSuccess) return remember(error);
  return remember(allocate(pointer, bytes, current_device()));
}

cudaError_t cudaFree(void* pointer) {
  const std::lock_guard guard(lock());
  if (const auto error = planned_failure("cudaFree"); error != cudaSuccess) return remember(error);
  if (pointer == nullptr) return cudaSuccess;
  const int device = device_of(pointer, 1);
  if (device < 0) return remember(cudaErrorInvalidValue);
  const auto found = memories[device].allocations.find(static_cast<const char*>(pointer));
  if (found == memories[device].allocations.end()) return remember(cudaErrorInvalidValue);
  drain_device(device);
  release(device, found);
  return cudaSuccess;
}

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  const std::lock_guard guard(lock());
  if (const auto error = planned_failure("cudaMallocAsync"); error != cudaSuccess) return remember(error);
  return remember(allocate(pointer, bytes, device_of_stream(stream)));
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  const std::lock_guard guard(lock());
  if (pointer == nullptr) return cudaSuccess;
  const int device = device_of(pointer, 1);
  if (device < 0 || !memories[device].allocations.contains(static_cast<const char*>(pointer))) {
    return remember(cudaErrorInvalidValue);
  }
  return remember(enqueue(stream, [device, pointer] {
    release(device, memories[device].allocations.find(static_cast<const char*>(pointer)));
  }));
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned int) {
  const std::lock_guard guard(lock());
  if (const auto error = planned_failure("cudaHostAlloc"); error != cudaSuccess) return remember(error);
  void* const memory = ::mmap(nullptr, round_up(bytes, page_bytes), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return remember(cudaErrorMemoryAllocation);
  std::memset(memory, settings().poison, bytes);
  pinned.emplace(static_cast<const char*>(memory), bytes);
  *pointer = memory;
  return cudaSuccess;
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) { return cudaHostAlloc(pointer, bytes, 0); }

cudaError_t cudaFreeHost(void* pointer) {
  const std::lock_guard guard(lock());
  if (pointer == nullptr) return cudaSuccess;
  const auto found = pinned.find(static_cast<const char*>(pointer));
  if (found == pinned.end()) return remember(cudaErrorInvalidValue);
  // Nothing promises that it waits for devices, so queued work finds the memory closed.
  const std::size_t bytes = round_up(found->second, page_bytes);
  pinned.erase(found);
  ::mprotect(pointer, bytes, PROT_NONE);
  ::madvise(pointer, bytes, MADV_DONTNEED);
  unpinned.emplace(static_cast<const char*>(pointer), bytes);
  return cudaSuccess;
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned int) {
  const std::lock_guard guard(lock());
  if (const auto error = planned_failure("cudaHostRegister"); error != cudaSuccess) return remember(error);
  return remember(pinned.emplace(static_cast<const char*>(pointer), bytes).second ? cudaSuccess
                                                                                  : cudaErrorInvalidValue);
}

cudaError_t cudaHostUnregister(void* pointer) {
  const std::lock_guard guard(lock());
  return remember(pinned.erase(static_cast<const char*>(pointer)) == 1 ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  const std::lock_guard guard(lock());
  if (const auto error = planned_failure("cudaPointerGetAttributes"); error != cudaSuccess)
    return remember(error);
  const int device = device_of(pointer, 1);
  *attributes = {};
  attributes->device = device < 0 ? current_device() : device;
  attributes->type = device >= 0          ? cudaMemoryTypeDevice
                     : is_pinned(pointer) ? cudaMemoryTypeHost
                                          : cudaMemoryTypeUnregistered;
  attributes->devicePointer = const_cast<void*>(pointer);
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  const std::lock_guard guard(lock());
  *total_bytes = settings().memory_bytes;
  *free_bytes = settings().memory_bytes - memories[current_device()].in_use;
  return cudaSuccess;
}
