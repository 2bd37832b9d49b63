#include "state.hpp"

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <nccl.h>

namespace simulator {
namespace {

struct Transfer {
  enum class Kind { send, receive, all_reduce } kind;
  const float* from = nullptr;
  float* to = nullptr;
  std::size_t count = 0;
  int peer = 0;
};

/// What the ranks of a communicator share.
struct Meeting {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<int> devices;
  std::vector<std::vector<Transfer>> transfers;  // of each rank
  std::size_t num_arrived = 0;
  std::uint64_t turn = 0;
  ncclResult_t result = ncclSuccess;
};

constexpr std::chrono::seconds patience{20};  // then a rank is taken for lost

std::mutex meetings_mutex;
std::map<std::uint64_t, std::shared_ptr<Meeting>> meetings;
std::uint64_t next_id = 1;

/// The calls of a group of this thread, which has one communicator.
thread_local int group_depth = 0;
thread_local ncclComm_t group_comm = nullptr;
thread_local cudaStream_t group_stream = nullptr;
thread_local std::vector<Transfer> group_transfers;

}  // namespace
}  // namespace simulator

struct ncclComm {
  std::shared_ptr<simulator::Meeting> meeting;
  int rank = 0;
};

namespace simulator {
namespace {

bool all_reduce(Meeting& meeting) {
  const std::size_t count = meeting.transfers.front().front().count;
  std::vector<float> sums(count);
  for (std::size_t r = meeting.transfers.size(); r-- > 0;) {
    const auto& own = meeting.transfers[r];
    if (own.size() != 1 || own.front().kind != Transfer::Kind::all_reduce || own.front().count != count)
      return false;
    for (std::size_t i = 0; i < count; ++i) sums[i] += own.front().from[i];
  }
  for (const auto& own : meeting.transfers) std::memcpy(own.front().to, sums.data(), count * sizeof(float));
  return true;
}

/// Sends meet the receives of their peers in order; none is left over.
bool send_all(Meeting& meeting) {
  const auto size = static_cast<int>(meeting.transfers.size());
  for (int from = 0; from < size; ++from) {
    for (int to = 0; to < size; ++to) {
      std::vector<Transfer> sends, receives;
      for (const Transfer& t : meeting.transfers[static_cast<std::size_t>(from)]) {
        if (t.kind == Transfer::Kind::send && t.peer == to) sends.push_back(t);
      }
      for (const Transfer& t : meeting.transfers[static_cast<std::size_t>(to)]) {
        if (t.kind == Transfer::Kind::receive && t.peer == from) receives.push_back(t);
      }
      if (sends.size() != receives.size()) return false;
      for (std::size_t k = 0; k < sends.size(); ++k) {
        if (sends[k].count != receives[k].count) return false;
        std::memcpy(receives[k].to, sends[k].from, sends[k].count * sizeof(float));
      }
    }
  }
  return true;
}

void do_the_work(Meeting& meeting) {
  const std::lock_guard guard(lock());
  std::vector<std::unique_ptr<DeviceAccess>> accesses;
  for (const int device : meeting.devices) accesses.push_back(std::make_unique<DeviceAccess>(device));
  bool any_reduce = false;
  for (const auto& own : meeting.transfers) {
    for (const Transfer& transfer : own)
      any_reduce = any_reduce || transfer.kind == Transfer::Kind::all_reduce;
  }
  const bool fits = any_reduce ? all_reduce(meeting) : send_all(meeting);
  if (!fits) {
    report_violation("NCCL: the ranks of a communicator do not call the same with the same sizes");
    meeting.result = ncclInvalidUsage;
  }
}

ncclResult_t meet(ncclComm_t comm, std::vector<Transfer> transfers, cudaStream_t stream) {
  {
    const std::lock_guard guard(lock());
    if (planned_failure("nccl") != cudaSuccess) return ncclUnhandledCudaError;
    drain(stream);  // what was queued before comes first
    for (const Transfer& t : transfers) {
      const bool reads = t.kind != Transfer::Kind::receive;
      const bool writes = t.kind != Transfer::Kind::send;
      const std::size_t bytes = t.count * sizeof(float);
      if ((reads && device_of(t.from, bytes) < 0) || (writes && device_of(t.to, bytes) < 0)) {
        report_violation("NCCL: a transfer outside device memory");
        return ncclInvalidArgument;
      }
    }
  }
  Meeting& meeting = *comm->meeting;
  std::unique_lock wait(meeting.mutex);
  const std::uint64_t turn = meeting.turn;
  meeting.transfers[static_cast<std::size_t>(comm->rank)] = std::move(transfers);
  if (++meeting.num_arrived == meeting.transfers.size()) {
    do_the_work(meeting);
    meeting.num_arrived = 0;
    ++meeting.turn;
    meeting.changed.notify_all();
  } else if (!meeting.changed.wait_for(wait, patience, [&] { return meeting.turn != turn; })) {
    return ncclRemoteError;
  }
  return meeting.result;
}

ncclResult_t add(Transfer transfer, ncclComm_t comm, cudaStream_t stream) {
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
  *version = 22809;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  const std::lock_guard guard(meetings_mutex);
  std::memset(id, 0, sizeof *id);
  std::memcpy(id->internal, &next_id, sizeof next_id);
  ++next_id;
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int num_ranks, ncclUniqueId id, int rank) {
  std::uint64_t key = 0;
  std::memcpy(&key, id.internal, sizeof key);
  int device = 0;
  cudaGetDevice(&device);
  std::shared_ptr<Meeting> meeting;
  {
    const std::lock_guard guard(meetings_mutex);
    auto& found = meetings[key];
    if (found == nullptr) {
      found = std::make_shared<Meeting>();
      found->transfers.resize(static_cast<std::size_t>(num_ranks));
      found->devices.resize(static_cast<std::size_t>(num_ranks));
    }
    meeting = found;
    meeting->devices[static_cast<std::size_t>(rank)] = device;
  }
  *comm = new ncclComm{meeting, rank};
  if (const auto result = meet(*comm, {}, nullptr); result != ncclSuccess) return result;
  // As NCCL before 2.30.
  for (int r = 0; r < num_ranks; ++r) {
    if (r != rank && meeting->devices[static_cast<std::size_t>(r)] == device) return ncclInvalidUsage;
  }
  return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  delete comm;
  return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm) { return ncclCommDestroy(comm); }

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* state) {
  const std::lock_guard guard(comm->meeting->mutex);
  *state = comm->meeting->result;
  return ncclSuccess;
}

ncclResult_t ncclGroupStart() {
  ++group_depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  if (--group_depth > 0 || group_comm == nullptr) return ncclSuccess;
  const ncclComm_t comm = std::exchange(group_comm, nullptr);
  return meet(comm, std::exchange(group_transfers, {}), group_stream);
}

ncclResult_t ncclSend(const void* values, std::size_t count, ncclDataType_t, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return add({Transfer::Kind::send, static_cast<const float*>(values), nullptr, count, peer}, comm, stream);
}

ncclResult_t ncclRecv(void* values, std::size_t count, ncclDataType_t, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return add({Transfer::Kind::receive, nullptr, static_cast<float*>(values), count, peer}, comm, stream);
}

ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t count, ncclDataType_t, ncclRedOp_t,
                           ncclComm_t comm, cudaStream_t stream) {
  return add({Transfer::Kind::all_reduce, static_cast<const float*>(from), static_cast<float*>(to), count, 0},
             comm, stream);
}
