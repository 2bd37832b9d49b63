#include "nccl_channel.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace widehash::detail {
namespace {

/// How long running collectives may take to end after a failure.
constexpr std::chrono::seconds patience{5};

cudaStream_t stream(const cuda::DeviceContext& context) { return context.stream().get(); }

}  // namespace

NcclChannel::NcclChannel(Communicator& control, const HostLayout& hosts, const cuda::DeviceContext& context,
                         bool share_process, TellOthers tell_others)
    : control_(control),
      hosts_(hosts),
      share_process_(share_process),
      tell_others_(std::move(tell_others)),
      device_(context.device()) {
  // NCCL's start waits for every rank without a timeout, so whatever can fail before it must fail before the
  // barrier.
  context.make_current();
  ncclUniqueId id{};
  if (control.rank() == 0) require(ncclGetUniqueId(&id), "ncclGetUniqueId");
  control.broadcast<char>(id.internal, 0);
  control.barrier();
  require(ncclCommInitRank(&nccl_, control.size(), id, control.rank()), "ncclCommInitRank");
}

NcclChannel::~NcclChannel() {
  if (nccl_ == nullptr) return;
  (void)cudaSetDevice(device_);
  (void)ncclCommDestroy(nccl_);
}

/// Does all that may wait for the device, on which an earlier collective may wait for a rank that is gone.
/// The channel is not in use meanwhile, so cut_off() can end that collective.
void NcclChannel::make_ready(const cuda::DeviceContext& context, std::size_t room) {
  try {
    received_.reserve(context, room, "what the ranks of a collective send");
    context.make_current();
    times_.begin(control_.clock(), context.stream());
  } catch (const std::exception& error) {
    const InUse in_use(is_in_use_);
    fail(context, error);
  }
}

/// Call within the handler of `error`. Rethrows it, unless another rank failed first.
void NcclChannel::fail(const cuda::DeviceContext& context, const std::exception& error) {
  // Before anything else, because others wait for this rank, on the host or on their devices.
  if (tell_others_ && tell_others_(error.what())) {
    abort();
    throw;
  }
  give_up(context);
  if (tell_others_) require_usable();  // throws the first rank's failure
  throw;
}

void NcclChannel::send(DeviceSpan<const float> values, std::size_t to) {
  if (values.size == 0) return;
  require(
      ncclSend(values.data, values.size, ncclFloat32, static_cast<int>(to), nccl_, stream(*values.context)),
      "ncclSend");
  bytes_sent_ += values.size * sizeof(float);
  if (!hosts_.are_neighbours(rank(), to)) bytes_sent_to_other_hosts_ += values.size * sizeof(float);
}

void NcclChannel::receive(DeviceSpan<float> values, std::size_t from) {
  if (values.size == 0) return;
  require(
      ncclRecv(values.data, values.size, ncclFloat32, static_cast<int>(from), nccl_, stream(*values.context)),
      "ncclRecv");
}

void NcclChannel::reduce_in_any_order(DeviceSpan<float> values) {
  require(ncclAllReduce(values.data, values.data, values.size, ncclFloat32, ncclSum, nccl_,
                        stream(*values.context)),
          "ncclAllReduce");
  meet_started();
  bytes_sent_ += 2 * values.size * sizeof(float) * (num_ranks() - 1) / num_ranks();
}

void NcclChannel::require(ncclResult_t result, const char* call) const {
  if (result == ncclSuccess) return;
  const char* const last = nccl_ == nullptr ? "" : ncclGetLastError(nccl_);
  throw CommError(fmt::format("NCCL: {} failed on rank {}: {} {}", call, control_.rank(),
                              ncclGetErrorString(result), last == nullptr ? "" : last));
}

void NcclChannel::require_usable() const {
  if (nccl_ != nullptr) return;
  control_.barrier();  // throws the failure of the rank that failed
  throw CommError("NCCL: a collective after one that failed");
}

void NcclChannel::require_no_failure() const {
  ncclResult_t state = ncclSuccess;
  require(ncclCommGetAsyncError(nccl_, &state), "ncclCommGetAsyncError");
  require(state, "an earlier collective");
}

void NcclChannel::begin_group() const { require(ncclGroupStart(), "ncclGroupStart"); }

void NcclChannel::end_group() {
  require(ncclGroupEnd(), "ncclGroupEnd");
  meet_started();
}

/// NCCL starts nothing from a group in which a call failed. A group left open would stay open in this thread
/// forever, and a communicator aborted within it would be freed only when the group ends.
void NcclChannel::drop_group() const noexcept { (void)ncclGroupEnd(); }

/// To be called when this rank's kernel is queued. A kernel, of this project or of a library, is loaded when it
/// is first started, and loading may wait for running kernels. Some are first started late: at the first
/// validation, or for a batch of another size. So within a process no rank goes on before all ranks have
/// queued theirs. Between processes nothing needs this.
void NcclChannel::meet_started() {
  if (share_process_) control_.barrier();
}

/// What all ranks have queued ends by itself, and the failed rank needs this rank's part of it. What waits
/// for a rank that is gone would wait forever, and so would freeing its memory.
void NcclChannel::give_up(const cuda::DeviceContext& context) noexcept {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (cudaStreamQuery(stream(context)) == cudaErrorNotReady && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  (void)cudaGetLastError();
  abort();
}

void NcclChannel::cut_off() noexcept {
  is_cut_off_ = true;
  if (is_in_use_.exchange(true)) return;
  abort();
  is_in_use_ = false;
}

void NcclChannel::abort() noexcept {
  if (nccl_ != nullptr) (void)ncclCommAbort(std::exchange(nccl_, nullptr));
}

}  // namespace widehash::detail
