#pragma once

/// \file
/// The devices that train together: one thread for each device of this process and, if the program was
/// started by mpirun, the devices of the other processes. Ranks are numbered through the processes in order.

#include <widehash/communicator.hpp>
#include <widehash/device.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace widehash {

struct TeamSettings {
  /// Threads of this process, shared evenly among its devices, at least one each. 0: the limit of
  /// with_threads().
  std::size_t threads = 0;
  /// Include the other processes of an mpirun in the team. Every process must then make its team at the same
  /// time.
  bool across_processes = false;
  /// A device that does not reach a collective within this time is considered stuck. Regardless of this
  /// setting, a process that dies is noticed at once, and a machine or network that is lost within 30 s.
  double timeout_seconds = 3600;
  /// Sums in GPU memory add pairs of ranks, as all other sums do, whatever transport is used. False leaves
  /// the order to NCCL, which may be faster, but two runs may then differ in their bits.
  bool ordered_device_sums = true;
};

class DeviceTeam {
 public:
  /// Throws ConfigError if there are no devices or more than max_devices, if the timeout is not positive or
  /// above 1e9 s, or if the program was started by mpirun and the build has no MPI. Throws CommError if the
  /// processes cannot reach each other. A program that starts MPI itself must request at least
  /// MPI_THREAD_SERIALIZED, otherwise CommError is thrown; it must also finalize MPI itself.
  explicit DeviceTeam(std::vector<Device> devices, const TeamSettings& settings = {});
  ~DeviceTeam();
  DeviceTeam(const DeviceTeam&) = delete;
  DeviceTeam& operator=(const DeviceTeam&) = delete;

  const std::vector<Device>& devices() const noexcept;  // of this process
  int world_size() const noexcept;
  /// The rank of this process's first device.
  int first_rank() const noexcept;

  /// Calls work(communicator) once per device of this process, concurrently, each with its share of the
  /// threads. Returns when all calls have ended. If one throws, the collectives of the others throw
  /// CommError, and run() throws the exception of the lowest rank of this process that failed by itself.
  /// After a failure the team can no longer be used.
  void run(const std::function<void(Communicator&)>& work);

  /// The communicator of a local device. Also usable between runs, for its clock and counts.
  Communicator& communicator(std::size_t local);

 private:
  struct Impl;
  void run_with(std::size_t num_threads, const std::function<void(Communicator&)>& work);

  std::unique_ptr<Impl> impl_;
};

}  // namespace widehash
