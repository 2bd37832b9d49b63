#include "group_communicator.hpp"

#include "all_gather.hpp"
#include "all_reduce.hpp"
#include "all_to_all.hpp"
#include "barrier.hpp"
#include "broadcast.hpp"
#include "gather.hpp"
#include "reduce_scatter.hpp"

#include <widehash/error.hpp>

#include <fmt/format.h>

namespace widehash {

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

}  // namespace

GroupCommunicator::GroupCommunicator(RankGroup& group, std::size_t local)
    : Communicator(group.first_rank() + static_cast<int>(local), group.world_size()),
      transport_(group.make_transport(local, clock())) {}

void GroupCommunicator::all_reduce(std::span<float> values) {
  const ActivityScope scope(clock(), Activity::communicate);
  detail::all_reduce(*transport_, values, scratch_);
}

void GroupCommunicator::all_reduce(std::span<double> values) {
  const ActivityScope scope(clock(), Activity::communicate);
  detail::all_reduce(*transport_, values, scratch_);
}

void GroupCommunicator::reduce_scatter(std::span<const float> values, std::span<const std::size_t> offsets,
                                       std::span<float> own) {
  const ActivityScope scope(clock(), Activity::communicate);
  require_offsets(offsets, size(), values.size());
  detail::reduce_scatter(*transport_, values, offsets, own);
}

void GroupCommunicator::reduce_scatter(std::span<const double> values, std::span<const std::size_t> offsets,
                                       std::span<double> own) {
  const ActivityScope scope(clock(), Activity::communicate);
  require_offsets(offsets, size(), values.size());
  detail::reduce_scatter(*transport_, values, offsets, own);
}

void GroupCommunicator::all_gather_bytes(Bytes own, std::span<const std::size_t> offsets,
                                         std::span<std::byte> whole) {
  const ActivityScope scope(clock(), Activity::communicate);
  require_offsets(offsets, size(), whole.size());
  detail::all_gather(*transport_, own, offsets, whole);
}

void GroupCommunicator::gather_bytes(Bytes own, std::span<const std::size_t> offsets, int root,
                                     std::span<std::byte> whole) {
  const ActivityScope scope(clock(), Activity::communicate);
  require_offsets(offsets, size(), rank() == root ? whole.size() : offsets.back());
  detail::gather(*transport_, own, offsets, root, whole);
}

void GroupCommunicator::broadcast_bytes(std::span<std::byte> values, int root) {
  const ActivityScope scope(clock(), Activity::communicate);
  if (size() > 1) detail::broadcast(*transport_, values, root);
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

}  // namespace detail
}  // namespace widehash
