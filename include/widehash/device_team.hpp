#pragma once

/// \file
/// The devices that work together: a thread each for those of this process, and, where the program was
/// started by mpirun, those of the other processes beside them. Ranks count through the processes in order.

#include <widehash/communicator.hpp>
#include <widehash/device.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace widehash {

struct TeamSettings {
  /// Threads of this process, shared evenly among its devices; each has at least one. 0: the limit of
  /// with_threads().
  std::size_t threads = 0;
  /// The other processes of an mpirun belong to the team too. Every process must then make its team at the
  /// same time.
  bool across_processes = false;
  /// A device that does not come to a collective for so long is taken for stuck. A process that dies is
  /// noticed at once, a machine or network that is lost within 30 s, whatever this says.
  double timeout_seconds = 3600;
  /// Sums in the memory of GPUs add pairs of ranks, as all others do, whatever carries them. False leaves the
  /// order to NCCL: perhaps faster, and no two runs need have the same bits.
  bool ordered_device_sums = true;
};

class DeviceTeam {
 public:
  /// Throws ConfigError without devices or, started by mpirun, where the build has no MPI; CommError where
  /// the processes do not reach each other. A program that has started MPI itself must have asked for
  /// MPI_THREAD_SERIALIZED at least, otherwise CommError; it also ends MPI itself.
  explicit DeviceTeam(std::vector<Device> devices, const TeamSettings& settings = {});
  ~DeviceTeam();
  DeviceTeam(const DeviceTeam&) = delete;
  DeviceTeam& operator=(const DeviceTeam&) = delete;

  const std::vector<Device>& devices() const noexcept;  // of this process
  int world_size() const noexcept;
  /// Rank of this process's first device.
  int first_rank() const noexcept;

  /// Calls work(communicator) once per device of this process, side by side, each with its share of the
  /// threads, and returns when all have ended. Where one throws, the others' collectives throw CommError, and
  /// run() throws what the lowest rank of this process threw on its own account. After a failure a team is of
  /// no further use.
  void run(const std::function<void(Communicator&)>& work);

  /// The communicator of a local device; also between runs, for its clock and counts.
  Communicator& communicator(std::size_t local);

 private:
  struct Impl;
  void run_with(std::size_t num_threads, const std::function<void(Communicator&)>& work);

  std::unique_ptr<Impl> impl_;
};

}  // namespace widehash
