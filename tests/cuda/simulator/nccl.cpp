#include "nccl_message.hpp"
#include "state.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <nccl.h>
#include <unistd.h>

// The ranks of a communicator meet in a folder whose path is NCCL's id, so they may be threads or processes.
// At each turn, a rank writes a file with its calls and the values that it sends. Once the files of all ranks
// are there, each rank reads what is meant for it. All ranks see the same calls, so they agree on whether
// these fit together.
namespace simulator {
namespace {

namespace fs = std::filesystem;

/// A call of this rank, with its memory.
struct Transfer {
  Call call;
  const float* from = nullptr;
  float* to = nullptr;
};

constexpr std::chrono::seconds patience{20};  // after that, a rank counts as lost

/// The calls of this thread's group, which has one communicator.
thread_local int group_depth = 0;
thread_local ncclComm_t group_comm = nullptr;
thread_local cudaStream_t group_stream = nullptr;
thread_local std::vector<Transfer> group_transfers;
thread_local ncclResult_t group_error = ncclSuccess;  // of a call in the group
/// The communicator that this thread made last. Ranks meet here at every group, even those that send and
/// receive nothing in it, which NCCL would not notice.
thread_local ncclComm_t own_comm = nullptr;

/// Communicators that were neither destroyed nor aborted; any thread may do either. Guarded by lock().
std::set<ncclComm_t>& living() {
  static std::set<ncclComm_t> comms;
  return comms;
}

/// The communicator that this thread made last, if it still exists; otherwise null.
ncclComm_t living_own_comm() {
  const std::lock_guard guard(lock());
  return living().contains(own_comm) ? own_comm : nullptr;
}

void forget(ncclComm_t comm) {
  const std::lock_guard guard(lock());
  living().erase(comm);
}

}  // namespace
}  // namespace simulator

struct ncclComm {
  std::filesystem::path folder;
  int num_ranks = 0;
  int rank = 0;
  int device = 0;
  std::uint64_t turn = 0;
  ncclResult_t state = ncclSuccess;

  std::filesystem::path file(std::uint64_t at_turn, int of_rank) const {
    return folder / (std::to_string(at_turn) + "-" + std::to_string(of_rank));
  }
};

namespace simulator {
namespace {

/// Copies what is meant for this rank to its destination.
void receive_all(const ncclComm& comm, const std::vector<Message>& messages,
                 const std::vector<Transfer>& transfers) {
  const std::lock_guard guard(lock());
  const DeviceAccess access(comm.device);
  std::vector<std::size_t> num_taken(messages.size());
  for (const Transfer& transfer : transfers) {
    const std::size_t bytes = transfer.call.count * sizeof(float);
    if (transfer.call.kind == Kind::receive) {
      const auto peer = static_cast<std::size_t>(transfer.call.peer);
      const std::size_t which = calls_with(messages[peer], Kind::send, comm.rank)[num_taken[peer]++];
      std::memcpy(transfer.to, messages[peer].values[which].data(), bytes);
    } else if (transfer.call.kind == Kind::all_reduce) {
      std::vector<float> sums(transfer.call.count);
      for (std::size_t r = messages.size(); r-- > 0;) {
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += messages[r].values.front()[i];
      }
      std::memcpy(transfer.to, sums.data(), bytes);
    }
  }
}

/// The messages of all ranks at this turn; empty if a rank does not come, or gave the communicator up.
std::vector<Message> wait_for_all(const ncclComm& comm) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  std::vector<Message> messages(static_cast<std::size_t>(comm.num_ranks));
  for (int r = 0; r < comm.num_ranks; ++r) {
    const fs::path file = comm.file(comm.turn, r);
    while (!fs::exists(file)) {
      if (!fs::exists(comm.folder)) return {};
      if (std::chrono::steady_clock::now() > deadline) {
        const std::lock_guard guard(lock());
        report_violation("NCCL: a device would wait for ever for a rank that does not come");
        return {};
      }
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    if (!read_message(file, messages[static_cast<std::size_t>(r)])) return {};
  }
  return messages;
}

ncclResult_t meet(ncclComm_t comm, const std::vector<Transfer>& transfers, cudaStream_t stream,
                  std::vector<Message>& messages) {
  Message own{comm->num_ranks, comm->device, {}, {}};
  {
    const std::lock_guard guard(lock());
    if (planned_failure("nccl") != cudaSuccess) return ncclUnhandledCudaError;
    drain(stream);  // what was queued before comes first
    const DeviceAccess access(comm->device);
    for (const Transfer& t : transfers) {
      const std::size_t bytes = t.call.count * sizeof(float);
      const bool reads = t.from != nullptr && bytes > 0;
      if ((reads && device_of(t.from, bytes) != comm->device) ||
          (t.to != nullptr && device_of(t.to, bytes) != comm->device)) {
        report_violation("NCCL: a transfer outside the memory of the communicator's device");
        return ncclInvalidArgument;
      }
      own.calls.push_back(t.call);
      own.values.emplace_back(t.from, t.from + (reads ? t.call.count : 0));
    }
  }
  if (!write_message(comm->file(comm->turn, comm->rank), own)) return comm->state = ncclRemoteError;
  messages = wait_for_all(*comm);
  if (messages.empty()) return comm->state = ncclRemoteError;
  // All ranks have come to this turn, so they have read everything of the previous one.
  if (comm->turn > 0) fs::remove(comm->file(comm->turn - 1, comm->rank));
  ++comm->turn;
  if (!fit_together(messages)) {
    report_violation("NCCL: the ranks of a communicator do not call the same with the same sizes");
    return comm->state = ncclInvalidUsage;
  }
  receive_all(*comm, messages, transfers);
  return ncclSuccess;
}

ncclResult_t meet(ncclComm_t comm, const std::vector<Transfer>& transfers, cudaStream_t stream) {
  std::vector<Message> messages;
  return meet(comm, transfers, stream, messages);
}

const char* name_of(Kind kind) {
  return kind == Kind::send ? "ncclSend" : kind == Kind::receive ? "ncclRecv" : "ncclAllReduce";
}

bool is_to_fail(const char* call) {
  const std::lock_guard guard(lock());
  return planned_failure(call) != cudaSuccess;
}

ncclResult_t add(Transfer transfer, ncclComm_t comm, cudaStream_t stream) {
  if (is_to_fail(name_of(transfer.call.kind))) return group_error = ncclSystemError;
  if (group_depth == 0) return meet(comm, {transfer}, stream);
  group_comm = comm;
  group_stream = stream;
  group_transfers.push_back(transfer);
  return ncclSuccess;
}

}  // namespace
}  // namespace simulator

using namespace simulator;

const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
      return "no error";
    case ncclUnhandledCudaError:
      return "unhandled cuda error";
    case ncclInvalidArgument:
      return "invalid argument";
    case ncclInvalidUsage:
      return "invalid usage";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    default:
      return "internal error";
  }
}

const char* ncclGetLastError(ncclComm_t) { return ""; }

ncclResult_t ncclGetVersion(int* version) {
  if (is_to_fail("ncclGetVersion")) return ncclSystemError;
  *version = 22809;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  if (is_to_fail("ncclGetUniqueId")) return ncclSystemError;
  std::string folder = (fs::temp_directory_path() / "simulated-nccl-XXXXXX").string();
  std::memset(id, 0, sizeof *id);
  if (folder.size() >= sizeof id->internal || ::mkdtemp(folder.data()) == nullptr) return ncclSystemError;
  std::memcpy(id->internal, folder.data(), folder.size());
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int num_ranks, ncclUniqueId id, int rank) {
  // NCCL takes an id that it did not make for an address, and waits there.
  if (rank < 0 || rank >= num_ranks || !fs::is_directory(id.internal)) return ncclInvalidArgument;
  auto made = std::make_unique<ncclComm>();
  made->folder = id.internal;
  made->num_ranks = num_ranks;
  made->rank = rank;
  cudaGetDevice(&made->device);
  if (fs::exists(made->file(0, rank))) {
    report_violation("NCCL: two ranks of a communicator have the same number");
    return ncclInvalidUsage;
  }
  std::vector<Message> messages;
  ncclResult_t result = meet(made.get(), {}, nullptr, messages);
  for (const Message& other : messages) {
    // As in NCCL before 2.30, two ranks may not share a device.
    const auto r = &other - messages.data();
    const bool shares = r != rank && other.device == made->device;
    if (result == ncclSuccess && (other.num_ranks != num_ranks || shares)) result = ncclInvalidUsage;
  }
  if (result == ncclSuccess) {
    const std::lock_guard guard(lock());
    *comm = own_comm = made.release();
    living().insert(own_comm);
  } else {
    ncclCommAbort(made.release());
  }
  return result;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  // The last rank to leave removes the folder.
  std::error_code ignored;
  std::ofstream(comm->folder / ("left-" + std::to_string(comm->rank)));
  bool have_all_left = true;
  for (int r = 0; r < comm->num_ranks; ++r)
    have_all_left = have_all_left && fs::exists(comm->folder / ("left-" + std::to_string(r)), ignored);
  if (have_all_left) fs::remove_all(comm->folder, ignored);
  forget(comm);
  delete comm;
  return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  {
    const std::lock_guard guard(lock());
    (void)planned_failure("ncclCommAbort");  // counts the call
    if (group_depth > 0) report_violation("NCCL: a communicator is given up within a group");
  }
  // Moves the folder out of the way first, since other ranks may be writing to it.
  const fs::path aside = comm->folder.string() + "-aside";
  std::error_code ignored;
  fs::rename(comm->folder, aside, ignored);
  for (int i = 0; i < 100 && fs::exists(aside, ignored); ++i) fs::remove_all(aside, ignored);
  forget(comm);
  delete comm;
  return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* state) {
  *state = comm->state;
  return ncclSuccess;
}

ncclResult_t ncclGroupStart() {
  ++group_depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  if (--group_depth > 0) return ncclSuccess;
  const ncclComm_t comm = group_comm == nullptr ? living_own_comm() : group_comm;
  group_comm = nullptr;
  const auto transfers = std::exchange(group_transfers, {});
  if (group_error != ncclSuccess) return std::exchange(group_error, ncclSuccess);  // nothing is started
  if (comm == nullptr) return ncclSuccess;
  const ncclResult_t result = meet(comm, transfers, std::exchange(group_stream, nullptr));
  // Counts the call when it is over. Ranks leave at different times, and NCCL's would not have met.
  const std::lock_guard guard(lock());
  (void)planned_failure("ncclGroupEnd");
  return result;
}

ncclResult_t ncclSend(const void* values, std::size_t count, ncclDataType_t, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return add({{Kind::send, peer, count}, static_cast<const float*>(values), nullptr}, comm, stream);
}

ncclResult_t ncclRecv(void* values, std::size_t count, ncclDataType_t, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return add({{Kind::receive, peer, count}, nullptr, static_cast<float*>(values)}, comm, stream);
}

ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t count, ncclDataType_t, ncclRedOp_t,
                           ncclComm_t comm, cudaStream_t stream) {
  return add({{Kind::all_reduce, 0, count}, static_cast<const float*>(from), static_cast<float*>(to)}, comm,
             stream);
}
