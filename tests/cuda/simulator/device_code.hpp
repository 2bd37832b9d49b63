#pragma once

/// \file
/// What the threads of a block do together. Each thread is a fiber, which runs until it has to wait for others.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include <cuda_runtime_api.h>

namespace simulator {

/// Runs one kernel over a grid on this thread, at once. Reports deadlocks and writes past the shared memory.
void run_grid(const char* kernel, dim3 grid, dim3 block, std::size_t shared_bytes,
              const std::function<void()>& thread);

/// Puts a kernel into a stream under the rules of a launch: sizes, shared memory. `name` must live forever.
cudaError_t enqueue_kernel(const void* kernel, const char* name, dim3 grid, dim3 block,
                           std::size_t shared_bytes, cudaStream_t stream, std::function<void()> thread);

/// Reports a read past the end of an allocation, even if the page continues there. Only some loads request
/// this check.
void check_read(const void* at, std::size_t bytes);

/// The dynamic shared memory of the running block.
void* dynamic_shared_memory();

struct BlockVotes {
  int count = 0;  // threads that voted yes
  int threads = 0;
};
BlockVotes block_barrier(bool vote);

enum class WarpCall { sync, shuffle, vote, match, reduce };

struct WarpValues {
  std::array<std::uint64_t, 32> values{};
  unsigned lanes = 0;  // lanes that gave a value
};

/// Exchanges a value among all lanes of the mask that have not ended.
const WarpValues& warp_exchange(WarpCall call, unsigned mask, std::uint64_t value);
/// The value that a lane gave. For a lane that gave none, returns poison and reports a violation.
std::uint64_t value_of_lane(const WarpValues& values, int lane);
unsigned votes(const WarpValues& values);
unsigned lanes_equal_to(const WarpValues& values, std::uint64_t value);
std::uint64_t sum_of_lanes(const WarpValues& values);
int lane_id();
/// Lanes of this warp that have not ended.
unsigned active_mask();

}  // namespace simulator
