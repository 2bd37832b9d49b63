#include "nccl_link.hpp"

#include "all_reduce.hpp"
#include "cuda/device_buffer.hpp"
#include "cuda/memory_gate.hpp"
#include "ordered_sum.hpp"

#include <widehash/error.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nccl.h>
#include <unistd.h>

// How sums keep the order of ranks: each rank sends every other its part of the array, adds what it got in the order of
// ranks, and sends the sum of its part to all. That is as many bytes as NCCL's own rings move, 2 (P - 1) / P of the array,
// and the same bits as between threads. Of a few numbers each rank sends all to all, as all_reduce.hpp has it: one kernel of
// NCCL and not two. NCCL's reductions give all ranks the same bits but choose their order by size, topology and version, and
// with NVLink SHARP it may change from call to call.
namespace widehash::detail {
namespace {

using cuda::DeviceBuffer;

/// From here on several ranks may share a GPU, where the environment allows it.
constexpr int version_with_shared_gpus = 23000;

/// How long collectives that are under way may take when one has failed.
constexpr std::chrono::seconds patience{5};

/// Which GPU a rank uses, on which host.
struct Seat {
  std::array<char, 64> host{};
  std::array<char, 32> bus{};

  bool operator==(const Seat&) const = default;
};

Seat seat_of(const cuda::DeviceContext& context) {
  Seat seat;
  (void)::gethostname(seat.host.data(), seat.host.size() - 1);
  context.make_current();
  cuda::check(cudaDeviceGetPCIBusId(seat.bus.data(), static_cast<int>(seat.bus.size()), context.device()),
              "cudaDeviceGetPCIBusId");
  return seat;
}

bool ranks_share_a_gpu(Communicator& control, const cuda::DeviceContext& context) {
  const auto size = static_cast<std::size_t>(control.size());
  const Seat own = seat_of(context);
  std::vector<Seat> seats(size);
  const std::vector<std::size_t> offsets = even_offsets(size, size);
  control.all_gather<Seat>(std::span(&own, 1), offsets, std::span(seats));
  for (auto seat = seats.begin(); seat != seats.end(); ++seat) {
    if (std::find(seats.begin(), seat, *seat) != seat) return true;
  }
  return false;
}

/// 0 where NCCL cannot be loaded.
int nccl_version() {
  int version = 0;
  try {
    return ncclGetVersion(&version) == ncclSuccess ? version : 0;
  } catch (const DeviceError&) {
    return 0;
  }
}

/// Whether every rank says yes.
bool all_agree(Communicator& control, bool agrees) {
  double refusals = agrees ? 0 : 1;
  control.all_reduce(std::span(&refusals, 1));
  return refusals == 0;
}

/// Whether every rank's NCCL lets ranks share a GPU.
bool may_share_a_gpu(Communicator& control) {
  const char* const setting = std::getenv("NCCL_MULTI_RANK_GPU_ENABLE");
  const bool is_wanted = setting != nullptr && std::strcmp(setting, "1") == 0;
  return all_agree(control, is_wanted && nccl_version() >= version_with_shared_gpus);
}

/// What a rank has for rank r where `offsets` cut `values` over the ranks.
auto parts_of(DeviceSpan<const float> values, std::span<const std::size_t> offsets) {
  return [=](std::size_t r) { return values.part(offsets[r], offsets[r + 1] - offsets[r]); };
}

class NcclTeamLink final : public NcclLink {
 public:
  NcclTeamLink(Communicator& control, const cuda::DeviceContext& context, SumOrder order)
      : control_(control), order_(order), device_(context.device()) {
    ncclUniqueId id{};
    if (control.rank() == 0) require(ncclGetUniqueId(&id), "ncclGetUniqueId");
    control.broadcast<char>(id.internal, 0);
    context.make_current();
    require(ncclCommInitRank(&nccl_, control.size(), id, control.rank()), "ncclCommInitRank");
  }

  ~NcclTeamLink() override {
    if (nccl_ == nullptr) return;
    (void)cudaSetDevice(device_);
    (void)ncclCommDestroy(nccl_);
  }

  void all_reduce(DeviceSpan<float> values) override {
    const cuda::DeviceContext& context = *values.context;
    if (order_ == SumOrder::any) {
      queue(context, 0, [&] {
        require(ncclAllReduce(values.data, values.data, values.size, ncclFloat32, ncclSum, nccl_,
                              stream(context)),
                "ncclAllReduce");
        note_started();
      });
      bytes_sent_ += 2 * values.size * sizeof(float) * (ranks() - 1) / ranks();
      return;
    }
    if (is_small_reduce(control_.size(), values.size * sizeof(float))) {
      queue(context, values.size, [&] { add_parts([&](std::size_t) { return values; }, values); });
      return;
    }
    const std::vector<std::size_t> offsets = even_offsets(values.size, ranks());
    const DeviceSpan<float> own = values.part(offsets[rank()], offsets[rank() + 1] - offsets[rank()]);
    queue(context, own.size, [&] {
      add_parts(parts_of(values, offsets), own);
      gather_parts(own, offsets, values);
    });
  }

  void reduce_scatter(DeviceSpan<const float> values, std::span<const std::size_t> offsets,
                      DeviceSpan<float> own) override {
    queue(*values.context, own.size, [&] { add_parts(parts_of(values, offsets), own); });
  }

  void all_gather(DeviceSpan<const float> own, std::span<const std::size_t> offsets,
                  DeviceSpan<float> whole) override {
    queue(*whole.context, 0, [&] { gather_parts(own, offsets, whole); });
  }

  std::uint64_t bytes_sent() const noexcept override { return bytes_sent_; }

 private:
  std::size_t ranks() const noexcept { return static_cast<std::size_t>(control_.size()); }
  std::size_t rank() const noexcept { return static_cast<std::size_t>(control_.rank()); }
  static cudaStream_t stream(const cuda::DeviceContext& context) { return context.stream().get(); }

  /// Calls `work`, which queues a collective of which a rank adds up `own_size` numbers. NCCL waits on the device, for ever,
  /// for ranks that do not come. So they meet on the host first, where one that failed is noticed. Taking memory waits for
  /// the device too: that for this comes before anybody starts, and for the rest there is a gate, which all must have entered.
  template <class Work>
  void queue(const cuda::DeviceContext& context, std::size_t own_size, const Work& work) {
    if (nccl_ == nullptr) throw CommError("NCCL: a collective after one that failed");
    try {
      parts_.reserve(context, own_size * ranks(), "what the ranks of a collective send");
      context.make_current();
      ncclResult_t state = ncclSuccess;
      require(ncclCommGetAsyncError(nccl_, &state), "ncclCommGetAsyncError");
      require(state, "an earlier collective");
      control_.barrier();
      const cuda::MemoryGate::Start start(cuda::MemoryGate::of_process());
      control_.barrier();
      work();
    } catch (...) {
      give_up(context);
      throw;
    }
  }

  /// What all ranks have queued ends by itself, and whoever failed needs this rank's part of it. What waits for a rank that
  /// is gone would wait for ever, and so would whoever frees its memory.
  void give_up(const cuda::DeviceContext& context) noexcept {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (cudaStreamQuery(stream(context)) == cudaErrorNotReady &&
           std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    (void)cudaGetLastError();
    (void)ncclCommAbort(std::exchange(nccl_, nullptr));
  }

  /// own = sum over ranks of what they have for this rank; `for_rank(r)` is what this rank has for rank r.
  template <class ForRank>
  void add_parts(const ForRank& for_rank, DeviceSpan<float> own) {
    const cuda::DeviceContext& context = *own.context;
    require(ncclGroupStart(), "ncclGroupStart");
    for (std::size_t r = 0; r < ranks(); ++r) {
      if (r == rank()) continue;
      send(for_rank(r).data, for_rank(r).size, r, context);
      receive(parts_.data() + r * own.size, own.size, r, context);
    }
    end_group();
    cuda::sum_in_order(parts_.data(), ranks(), rank(), for_rank(rank()).data, own.size, own.data,
                       context.stream());
  }

  void gather_parts(DeviceSpan<const float> own, std::span<const std::size_t> offsets,
                    DeviceSpan<float> whole) {
    const cuda::DeviceContext& context = *whole.context;
    require(ncclGroupStart(), "ncclGroupStart");
    for (std::size_t r = 0; r < ranks(); ++r) {
      if (r == rank()) continue;
      send(own.data, own.size, r, context);
      receive(whole.data + offsets[r], offsets[r + 1] - offsets[r], r, context);
    }
    end_group();
    float* const own_place = whole.data + offsets[rank()];
    if (own_place != own.data) cuda::copy_on_device(own.data, own_place, own.size, context.stream());
  }

  void end_group() {
    require(ncclGroupEnd(), "ncclGroupEnd");
    note_started();
  }
  /// This rank's kernel is on its way. A kernel is loaded when it is first started, and loading may wait for those that run: so at
  /// the beginning nobody starts another before all ranks have started theirs.
  void note_started() {
    if (num_early_ == 0) return;
    --num_early_;
    control_.barrier();
  }

  void send(const float* values, std::size_t count, std::size_t to, const cuda::DeviceContext& context) {
    if (count == 0) return;
    require(ncclSend(values, count, ncclFloat32, static_cast<int>(to), nccl_, stream(context)), "ncclSend");
    bytes_sent_ += count * sizeof(float);
  }
  void receive(float* values, std::size_t count, std::size_t from, const cuda::DeviceContext& context) {
    if (count == 0) return;
    require(ncclRecv(values, count, ncclFloat32, static_cast<int>(from), nccl_, stream(context)), "ncclRecv");
  }

  void require(ncclResult_t result, const char* call) {
    if (result == ncclSuccess) return;
    const char* const last = nccl_ == nullptr ? "" : ncclGetLastError(nccl_);
    throw CommError(fmt::format("NCCL: {} failed on rank {}: {} {}", call, control_.rank(),
                                ncclGetErrorString(result), last == nullptr ? "" : last));
  }

  Communicator& control_;
  SumOrder order_;
  int device_;
  ncclComm_t nccl_ = nullptr;
  unsigned num_early_ = 32;  // kernels of NCCL: those of the first steps, which start every kernel of a step
  std::uint64_t bytes_sent_ = 0;
  DeviceBuffer<float> parts_;
};

}  // namespace

std::unique_ptr<NcclLink> make_nccl_link(Communicator& control, const cuda::DeviceContext& context,
                                         SumOrder order) {
  if (ranks_share_a_gpu(control, context) && !may_share_a_gpu(control)) return nullptr;
  if (!all_agree(control, nccl_version() > 0)) return nullptr;
  return std::make_unique<NcclTeamLink>(control, context, order);
}

}  // namespace widehash::detail
