#include "nccl_link.hpp"

#include "all_reduce.hpp"
#include "host_identity.hpp"
#include "nccl_channel.hpp"
#include "piece_sums.hpp"

#include <widehash/error.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include <unistd.h>

// Sums keep the order of pairwise_sum.hpp as follows: each rank sends every other its part of the array, adds
// what it receives, and sends the sum of its part to all. That moves 2 (P - 1) / P of the array, as many bytes
// as NCCL's own rings, and gives the same bits as between threads. For a few numbers, each rank sends all to
// all, as in all_reduce.hpp, which takes one NCCL kernel instead of two. Between hosts, large arrays go host
// by host, as in reduce_scatter.hpp and all_gather.hpp. NCCL's own reductions give all ranks the same bits,
// but choose their order by size, topology and version, and with NVLink SHARP it may change from call to
// call.
namespace widehash::detail {
namespace {

/// From this version on several ranks may share a GPU, if the environment allows it.
constexpr int version_with_shared_gpus = 23000;

/// Size of the whole array, in bytes, from which on collectives go host by host. That takes one more NCCL
/// kernel, some 10 us, during which one 400 Gbit/s adapter per GPU carries 500 KB, and saves half to nearly
/// all of the bytes. Calculated, not measured.
constexpr std::size_t by_hosts_device_bytes = std::size_t{1} << 20;

/// Which GPU a rank uses, in which process, on which host.
struct Seat {
  std::array<char, 128> host{};
  std::array<char, 32> bus{};
  pid_t process = 0;

  bool is_on_host_of(const Seat& other) const { return host == other.host; }
  bool is_on_gpu_of(const Seat& other) const { return is_on_host_of(other) && bus == other.bus; }
  bool is_in_process_of(const Seat& other) const { return is_on_host_of(other) && process == other.process; }
};

Seat seat_of(const cuda::DeviceContext& context) {
  Seat seat;
  host_identity().copy(seat.host.data(), seat.host.size() - 1);
  context.make_current();
  cuda::check(cudaDeviceGetPCIBusId(seat.bus.data(), static_cast<int>(seat.bus.size()), context.device()),
              "cudaDeviceGetPCIBusId");
  seat.process = ::getpid();
  return seat;
}

struct Sharing {
  bool of_a_gpu = false;
  bool of_a_process = false;
};

/// Whether any two ranks share these. The same on all ranks. Collective.
Sharing sharing_among(Communicator& control, const cuda::DeviceContext& context) {
  const auto size = static_cast<std::size_t>(control.size());
  const Seat own = seat_of(context);
  std::vector<Seat> seats(size);
  const std::vector<std::size_t> offsets = even_offsets(size, size);
  control.all_gather<Seat>(std::span(&own, 1), offsets, std::span(seats));
  Sharing sharing;
  for (auto seat = seats.begin(); seat != seats.end(); ++seat) {
    for (auto other = seats.begin(); other != seat; ++other) {
      sharing.of_a_gpu = sharing.of_a_gpu || seat->is_on_gpu_of(*other);
      sharing.of_a_process = sharing.of_a_process || seat->is_in_process_of(*other);
    }
  }
  return sharing;
}

/// 0 if NCCL cannot be loaded.
int nccl_version() {
  int version = 0;
  try {
    return ncclGetVersion(&version) == ncclSuccess ? version : 0;
  } catch (const DeviceError&) {
    return 0;
  }
}

/// Whether every rank agrees. Collective.
bool all_agree(Communicator& control, bool agrees) {
  double refusals = agrees ? 0 : 1;
  control.all_reduce(std::span(&refusals, 1));
  return refusals == 0;
}

/// Whether every rank's NCCL lets ranks share a GPU. Collective.
bool may_share_a_gpu(Communicator& control) {
  const char* const setting = std::getenv("NCCL_MULTI_RANK_GPU_ENABLE");
  const bool is_wanted = setting != nullptr && std::strcmp(setting, "1") == 0;
  return all_agree(control, is_wanted && nccl_version() >= version_with_shared_gpus);
}

/// A function of r that returns the part of `values` that `offsets` assign to rank r.
template <class T>
auto parts_of(DeviceSpan<T> values, std::span<const std::size_t> offsets) {
  return [=](std::size_t r) { return values.part(offsets[r], offsets[r + 1] - offsets[r]); };
}

class NcclTeamLink final : public NcclLink {
 public:
  NcclTeamLink(Communicator& control, const HostLayout& hosts, const cuda::DeviceContext& context,
               SumOrder order, bool share_process, TellOthers tell_others)
      : hosts_(hosts),
        order_(order),
        channel_(control, hosts, context, share_process, std::move(tell_others)) {}

  void all_reduce(DeviceSpan<float> values) override {
    if (order_ == SumOrder::any)
      return channel_.queue(*values.context, 0, [&] { channel_.reduce_in_any_order(values); });
    if (is_small_reduce(static_cast<int>(channel_.num_ranks()), values.size * sizeof(float))) {
      return channel_.queue(*values.context, values.size * channel_.num_ranks(),
                            [&] { add_flat([&](std::size_t) { return values; }, values); });
    }
    const std::vector<std::size_t> offsets = even_offsets(values.size, channel_.num_ranks());
    const DeviceSpan<float> own = parts_of(values, offsets)(channel_.rank());
    channel_.queue(*values.context, room_to_add(offsets), [&] {
      add(values, offsets, own);
      gather(own, offsets, values);
    });
  }

  void reduce_scatter(DeviceSpan<const float> values, std::span<const std::size_t> offsets,
                      DeviceSpan<float> own) override {
    channel_.queue(*values.context, room_to_add(offsets), [&] { add(values, offsets, own); });
  }

  void all_gather(DeviceSpan<const float> own, std::span<const std::size_t> offsets,
                  DeviceSpan<float> whole) override {
    channel_.queue(*whole.context, 0, [&] { gather(own, offsets, whole); });
  }

  std::uint64_t bytes_sent() const noexcept override { return channel_.bytes_sent(); }
  std::uint64_t bytes_sent_to_other_hosts() const noexcept override {
    return channel_.bytes_sent_to_other_hosts();
  }
  std::vector<CollectiveSpan> collective_spans() const override { return channel_.spans(); }
  void cut_off() noexcept override { channel_.cut_off(); }
  bool is_cut_off() const noexcept override { return channel_.is_cut_off(); }

 private:
  using Offsets = std::span<const std::size_t>;

  bool goes_by_hosts(Offsets offsets) const noexcept {
    return hosts_.is_even() && offsets.back() * sizeof(float) >= by_hosts_device_bytes;
  }
  std::size_t host() const noexcept { return hosts_.host_of(channel_.rank()); }
  std::size_t place() const noexcept { return hosts_.place_of(channel_.rank()); }

  /// How many numbers the ranks of this rank's place own, or, if that is more, its own part once per host.
  std::size_t numbers_of_place(Offsets offsets) const {
    std::size_t all = 0;
    for (std::size_t h = 0; h < hosts_.num_hosts(); ++h) {
      const std::size_t owner = hosts_.rank_at(h, place());
      all += offsets[owner + 1] - offsets[owner];
    }
    const std::size_t own = offsets[channel_.rank() + 1] - offsets[channel_.rank()];
    return std::max(all, own * hosts_.num_hosts());
  }
  std::size_t room_to_add(Offsets offsets) const {
    if (goes_by_hosts(offsets)) return numbers_of_place(offsets) * hosts_.ranks_per_host();
    return (offsets[channel_.rank() + 1] - offsets[channel_.rank()]) * channel_.num_ranks();
  }

  void add(DeviceSpan<const float> values, Offsets offsets, DeviceSpan<float> own) {
    if (goes_by_hosts(offsets)) return add_by_hosts(values, offsets, own);
    add_flat(parts_of(values, offsets), own);
  }
  void gather(DeviceSpan<const float> own, Offsets offsets, DeviceSpan<float> whole) {
    const DeviceSpan<float> own_place = parts_of(whole, offsets)(channel_.rank());
    if (own_place.data != own.data)
      cuda::copy_on_device(own.data, own_place.data, own.size, own.context->stream());
    if (goes_by_hosts(offsets)) return gather_by_hosts(offsets, whole);
    gather_flat(offsets, whole);
  }

  /// own = sum over ranks of what they have for this rank; `for_rank(r)` is what this rank has for rank r.
  template <class ForRank>
  void add_flat(const ForRank& for_rank, DeviceSpan<float> own) {
    const std::size_t rank = channel_.rank();
    channel_.together([&] {
      for (std::size_t r = 0; r < channel_.num_ranks(); ++r) {
        if (r == rank) continue;
        channel_.send(for_rank(r), r);
        channel_.receive({channel_.received() + r * own.size, own.size, own.context}, r);
      }
    });
    const cuda::SumPiece piece{for_rank(rank).data, channel_.received(), own.data, own.size};
    cuda::add_pieces({&piece, 1}, channel_.num_ranks(), rank, own.size, own.context->stream());
  }

  void gather_flat(Offsets offsets, DeviceSpan<float> whole) {
    const auto part = parts_of(whole, offsets);
    channel_.together([&] {
      for (std::size_t r = 0; r < channel_.num_ranks(); ++r) {
        if (r == channel_.rank()) continue;
        channel_.send(part(channel_.rank()), r);
        channel_.receive(part(r), r);
      }
    });
  }

  void add_by_hosts(DeviceSpan<const float> values, Offsets offsets, DeviceSpan<float> own) {
    const auto part = parts_of(values, offsets);
    const std::size_t stride = numbers_of_place(offsets);
    const auto slot = [&](std::size_t p) { return channel_.received() + p * stride; };

    // Ranks of this host send what they have for the ranks of this rank's place. The sum goes to this rank's
    // own slot, which receives nothing.
    std::vector<cuda::SumPiece> pieces;
    std::size_t at = 0;
    for (std::size_t h = 0; h < hosts_.num_hosts(); ++h) {
      const DeviceSpan<const float> given = part(hosts_.rank_at(h, place()));
      pieces.push_back({given.data, channel_.received() + at, slot(place()) + at, given.size});
      at += given.size;
    }
    channel_.together([&] {
      for (std::size_t p = 0; p < hosts_.ranks_per_host(); ++p) {
        if (p == place()) continue;
        const std::size_t neighbour = hosts_.rank_at(host(), p);
        float* to = slot(p);
        for (std::size_t h = 0; h < hosts_.num_hosts(); ++h) {
          channel_.send(part(hosts_.rank_at(h, p)), neighbour);
          channel_.receive({to, pieces[h].count, own.context}, neighbour);
          to += pieces[h].count;
        }
      }
    });
    cuda::add_pieces(pieces, hosts_.ranks_per_host(), place(), stride, own.context->stream());

    // Ranks of this place send the sums of their hosts for this rank. By then, what neighbours sent has been
    // read.
    float* const of_hosts = slot(place() == 0 ? 1 : 0);
    channel_.together([&] {
      for (std::size_t h = 0; h < hosts_.num_hosts(); ++h) {
        if (h == host()) continue;
        channel_.send({pieces[h].sums, pieces[h].count, own.context}, hosts_.rank_at(h, place()));
        channel_.receive({of_hosts + h * own.size, own.size, own.context}, hosts_.rank_at(h, place()));
      }
    });
    const cuda::SumPiece sum{pieces[host()].sums, of_hosts, own.data, own.size};
    cuda::add_pieces({&sum, 1}, hosts_.num_hosts(), host(), own.size, own.context->stream());
  }

  void gather_by_hosts(Offsets offsets, DeviceSpan<float> whole) {
    const auto part = parts_of(whole, offsets);
    channel_.together([&] {
      for (std::size_t h = 0; h < hosts_.num_hosts(); ++h) {
        if (h == host()) continue;
        channel_.send(part(channel_.rank()), hosts_.rank_at(h, place()));
        channel_.receive(part(hosts_.rank_at(h, place())), hosts_.rank_at(h, place()));
      }
    });
    channel_.together([&] {
      for (std::size_t p = 0; p < hosts_.ranks_per_host(); ++p) {
        if (p == place()) continue;
        for (std::size_t h = 0; h < hosts_.num_hosts(); ++h) {
          channel_.send(part(hosts_.rank_at(h, place())), hosts_.rank_at(host(), p));
          channel_.receive(part(hosts_.rank_at(h, p)), hosts_.rank_at(host(), p));
        }
      }
    });
  }

  const HostLayout& hosts_;
  SumOrder order_;
  NcclChannel channel_;
};

}  // namespace

std::unique_ptr<NcclLink> make_nccl_link(Communicator& control, const HostLayout& hosts,
                                         const cuda::DeviceContext& context, SumOrder order,
                                         TellOthers tell_others) {
  const Sharing sharing = sharing_among(control, context);
  if (sharing.of_a_gpu && !may_share_a_gpu(control)) return nullptr;
  if (!all_agree(control, nccl_version() > 0)) return nullptr;
  return std::make_unique<NcclTeamLink>(control, hosts, context, order, sharing.of_a_process,
                                        std::move(tell_others));
}

}  // namespace widehash::detail
