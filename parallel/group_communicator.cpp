#include "group_communicator.hpp"

#include "all_gather.hpp"
#include "all_reduce.hpp"
#include "all_to_all.hpp"
#include "barrier.hpp"
#include "broadcast.hpp"
#include "device_collectives.hpp"
#include "gather.hpp"
#include "reduce_scatter.hpp"

#include <widehash/error.hpp>

#include <fmt/format.h>

namespace widehash {

void Communicator::throw_only_float() {
  throw DeviceError("collectives on the memory of GPUs are of float32");
}

std::vector<std::size_t> even_offsets(std::size_t count, std::size_t parts) {
  std::vector<std::size_t> offsets(parts + 1);
  for (std::size_t p = 0; p < parts; ++p)
    offsets[p + 1] = offsets[p] + count / parts + (p < count % parts ? 1 : 0);
  return offsets;
}

namespace detail {
namespace {

void require_offsets(std::span<const std::size_t> offsets, int size, std::size_t count) {
  if (offsets.size() != static_cast<std::size_t>(size) + 1 || offsets.front() != 0 ||
      offsets.back() != count) {
    throw CommError(fmt::format("collective: {} offsets ending at {} for {} ranks and {} items",
                                offsets.size(), offsets.empty() ? 0 : offsets.back(), size, count));
  }
}

void require_root(int root, int size) {
  if (root < 0 || root >= size)
    throw CommError(fmt::format("collective: there is no root {} among {} ranks", root, size));
}

}  // namespace

GroupCommunicator::GroupCommunicator(RankGroup& group, std::size_t local, const Device& device,
                                     bool on_one_gpu, SumOrder device_sums)
    : Communicator(group.first_rank() + static_cast<int>(local), group.world_size(), device),
      group_(group),
      local_(local),
      on_one_gpu_(on_one_gpu),
      device_sums_(device_sums),
      transport_(group.make_transport(local, clock())) {}

GroupCommunicator::~GroupCommunicator() {
  if (nccl_ != nullptr) group_.when_failed(local_, {});
}

void GroupCommunicator::all_reduce(std::span<float> values) {
  const ActivityScope scope(clock(), Activity::communicate);
  detail::all_reduce(*transport_, values, copies_);
}

void GroupCommunicator::all_reduce(std::span<double> values) {
  const ActivityScope scope(clock(), Activity::communicate);
  detail::all_reduce(*transport_, values, copies_);
}

void GroupCommunicator::reduce_scatter(std::span<const float> values, std::span<const std::size_t> offsets,
                                       std::span<float> own) {
  const ActivityScope scope(clock(), Activity::communicate);
  require_offsets(offsets, size(), values.size());
  detail::reduce_scatter(*transport_, values, offsets, own, copies_.large);
  transport_->finish();
}

void GroupCommunicator::reduce_scatter(std::span<const double> values, std::span<const std::size_t> offsets,
                                       std::span<double> own) {
  const ActivityScope scope(clock(), Activity::communicate);
  require_offsets(offsets, size(), values.size());
  detail::reduce_scatter(*transport_, values, offsets, own, copies_.large);
  transport_->finish();
}

void GroupCommunicator::all_gather_bytes(Bytes own, std::span<const std::size_t> offsets,
                                         std::span<std::byte> whole) {
  const ActivityScope scope(clock(), Activity::communicate);
  require_offsets(offsets, size(), whole.size());
  detail::all_gather(*transport_, own, offsets, whole, copies_.large);
  transport_->finish();
}

void GroupCommunicator::gather_bytes(Bytes own, std::span<const std::size_t> offsets, int root,
                                     std::span<std::byte> whole) {
  const ActivityScope scope(clock(), Activity::communicate);
  require_root(root, size());
  const bool is_root = rank() == root;
  require_offsets(offsets, size(), is_root || offsets.empty() ? whole.size() : offsets.back());
  detail::gather(*transport_, own, offsets, root, whole);
}

void GroupCommunicator::broadcast_bytes(std::span<std::byte> values, int root) {
  const ActivityScope scope(clock(), Activity::communicate);
  require_root(root, size());
  if (size() > 1) detail::broadcast(*transport_, values, root, copies_.large);
}

void GroupCommunicator::all_to_all_bytes(std::span<const Bytes> to,
                                         std::span<const std::span<std::byte>> from) {
  const ActivityScope scope(clock(), Activity::communicate);
  const auto ranks = static_cast<std::size_t>(size());
  if (to.size() != ranks || from.size() != ranks)
    throw CommError(fmt::format("all-to-all: {} and {} parts for {} ranks", to.size(), from.size(), size()));
  detail::all_to_all(*transport_, to, from);
}

void GroupCommunicator::barrier() {
  const ActivityScope scope(clock(), Activity::communicate);
  detail::barrier(*transport_);
}

NcclLink* GroupCommunicator::nccl(const cuda::DeviceContext& context) {
  if (!asked_for_nccl_) {
    asked_for_nccl_ = true;
    const auto tell_others = [this](const std::string& reason) {
      group_.when_failed(local_, {});  // this rank gives up by itself
      return group_.fail(rank(), reason);
    };
    if (size() > 1) nccl_ = make_nccl_link(*this, transport_->hosts(), context, device_sums_, tell_others);
    if (nccl_ != nullptr) group_.when_failed(local_, [this] { nccl_->cut_off(); });
  }
  return nccl_.get();
}

void GroupCommunicator::all_reduce_on_device(DeviceSpan<float> values) {
  if (size() == 1) return;
  NcclLink* const link = on_one_gpu_ ? nullptr : nccl(*values.context);
  if (!on_one_gpu_ && link == nullptr) return Communicator::all_reduce_on_device(values);
  const ActivityScope scope(clock(), Activity::communicate);
  if (link != nullptr) return link->all_reduce(values);
  detail::all_reduce_on_gpu(*transport_, values);
}

void GroupCommunicator::reduce_scatter_on_device(DeviceSpan<const float> values,
                                                 std::span<const std::size_t> offsets,
                                                 DeviceSpan<float> own) {
  NcclLink* const link = on_one_gpu_ ? nullptr : nccl(*values.context);
  if (!on_one_gpu_ && link == nullptr) return Communicator::reduce_scatter_on_device(values, offsets, own);
  const ActivityScope scope(clock(), Activity::communicate);
  require_offsets(offsets, size(), values.size);
  if (link != nullptr) return link->reduce_scatter(values, offsets, own);
  detail::reduce_scatter_on_gpu(*transport_, values, offsets, own);
}

void GroupCommunicator::all_gather_on_device(DeviceSpan<const float> own,
                                             std::span<const std::size_t> offsets, DeviceSpan<float> whole) {
  NcclLink* const link = on_one_gpu_ ? nullptr : nccl(*own.context);
  if (!on_one_gpu_ && link == nullptr) return Communicator::all_gather_on_device(own, offsets, whole);
  const ActivityScope scope(clock(), Activity::communicate);
  require_offsets(offsets, size(), whole.size);
  if (link != nullptr) return link->all_gather(own, offsets, whole);
  detail::all_gather_on_gpu(*transport_, own, offsets, whole);
}

}  // namespace detail
}  // namespace widehash
