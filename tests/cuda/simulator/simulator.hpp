#pragma once

/// \file
/// What tests can ask of the simulated devices: how many there are, how much memory they have, in which order
/// threads run, which call fails, and what was done wrong. docs/gpu.md says what the simulator shows and what
/// it cannot show.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

namespace simulator {

/// In which order the threads of a block, the blocks of a grid and the streams of a device get their turns.
/// Code without data races gives the same in every order.
enum class Order { forward, reverse, shuffled };

struct Settings {
  int num_devices = 4;
  std::size_t memory_bytes = std::size_t{1} << 30;  // of each device
  int multiprocessors = 4;
  int threads_per_multiprocessor = 2048;
  std::size_t shared_bytes_per_block = 227 * 1024;  // with opt-in; 48 KiB without
  Order order = Order::forward;
  std::uint64_t seed = 0;  // of Order::shuffled
  /// What fresh device and shared memory is filled with. 0xFF makes floats NaN and codes absent.
  std::uint8_t poison = 0xFF;
  /// Work runs when somebody waits for it, which is as late as a device may be; false: at once.
  bool deferred = true;
  /// As a machine without a driver answers.
  bool has_driver = true;
};

/// The environment's settings: WIDEHASH_SIMULATOR_ORDER = forward, reverse or shuffled:SEED;
/// WIDEHASH_SIMULATOR_POISON = a byte; WIDEHASH_SIMULATOR_EAGER = 1. A program that never calls configure()
/// has these from its first call on, with WIDEHASH_SIMULATOR_FAIL = CALL:AFTER as fail_call() has it, and
/// ends with exit code 70 where there are violations.
Settings settings_from_environment();

/// Starts afresh: devices without memory, streams, violations or planned failures. Whatever was allocated is
/// gone.
void configure(const Settings& settings);
const Settings& settings();

/// The call of this name after the next `after` ones returns `error` and does nothing. Kernel launches are
/// named "launch".
void fail_call(const std::string& name, int after, cudaError_t error);

/// What was done wrong since configure(): writes beside an allocation, copies past one, deadlocked blocks,
/// shuffles among lanes that do not take part. Empty where all is well. Checks the guards of live
/// allocations.
std::vector<std::string> violations();
/// As above, and forgets them: for tests that do wrong on purpose.
std::vector<std::string> take_violations();

std::size_t bytes_in_use(int device);
std::uint64_t num_calls(const std::string& name);

}  // namespace simulator
