#pragma once

/// \file
/// What tests can ask of the simulated devices: how many there are, how much memory they have, in which order
/// threads run, which call fails, and what went wrong. docs/gpu.md says what the simulator can show and what
/// it cannot.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

namespace simulator {

/// The order in which the threads of a block, the blocks of a grid and the streams of a device take turns.
/// Code without data races gives the same results in every order.
enum class Order { forward, reverse, shuffled };

struct Settings {
  int num_devices = 4;
  std::size_t memory_bytes = std::size_t{1} << 30;  // of each device
  int multiprocessors = 4;
  int threads_per_multiprocessor = 2048;
  std::size_t shared_bytes_per_block = 227 * 1024;  // with opt-in; 48 KiB without
  Order order = Order::forward;
  std::uint64_t seed = 0;  // for Order::shuffled
  /// The byte that fills fresh device memory and shared memory. 0xFF makes floats NaN and codes absent.
  std::uint8_t poison = 0xFF;
  /// If true, work runs when something waits for it, which is as late as a device may run it; otherwise at once.
  bool deferred = true;
  /// If false, the simulator answers like a machine without a driver.
  bool has_driver = true;
};

/// The settings of the environment: WIDEHASH_SIMULATOR_ORDER = forward, reverse or shuffled:SEED;
/// WIDEHASH_SIMULATOR_POISON = a byte; WIDEHASH_SIMULATOR_EAGER = 1. A program that never calls configure()
/// uses these from its first call on, with WIDEHASH_SIMULATOR_FAIL = CALL:AFTER as in fail_call(), and exits
/// with code 70 if there are violations.
Settings settings_from_environment();

/// Starts afresh: devices without memory, streams, violations or planned failures. All earlier allocations
/// are gone.
void configure(const Settings& settings);
const Settings& settings();

/// Makes the call of this name that follows the next `after` ones return `error` and do nothing. Kernel
/// launches are named "launch".
void fail_call(const std::string& name, int after, cudaError_t error);

/// What went wrong since configure(): writes beside an allocation, copies past one, deadlocked blocks,
/// shuffles among lanes that do not take part. Empty if nothing did. Checks the guards of live allocations.
std::vector<std::string> violations();
/// Like violations(), but also forgets them: for tests that do wrong on purpose.
std::vector<std::string> take_violations();

std::size_t bytes_in_use(int device);
std::uint64_t num_calls(const std::string& name);

}  // namespace simulator
