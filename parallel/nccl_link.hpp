#pragma once

/// \file
/// Collectives that stay in the memory of GPUs. A team that has none sends its numbers through the host.

#include "host_layout.hpp"

#include <widehash/communicator.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace widehash::detail {

class NcclLink {
 public:
  virtual ~NcclLink() = default;

  // As the functions of Communicator, queued on the stream of the numbers' context.
  virtual void all_reduce(DeviceSpan<float> values) = 0;
  virtual void reduce_scatter(DeviceSpan<const float> values, std::span<const std::size_t> offsets,
                              DeviceSpan<float> own) = 0;
  virtual void all_gather(DeviceSpan<const float> own, std::span<const std::size_t> offsets,
                          DeviceSpan<float> whole) = 0;

  virtual std::uint64_t bytes_sent() const noexcept = 0;
  /// The part of bytes_sent() that went to ranks of other hosts. Sums in any order are not included, because
  /// only NCCL knows their paths.
  virtual std::uint64_t bytes_sent_to_other_hosts() const noexcept = 0;
  virtual std::vector<CollectiveSpan> collective_spans() const = 0;

  /// Called on any thread when another rank has failed: collectives that wait for it on the device end now,
  /// with unspecified results.
  virtual void cut_off() noexcept = 0;
  virtual bool is_cut_off() const noexcept = 0;
};

/// Whether sums add pairs of ranks, with the same bits as threads and MPI, or in NCCL's own order.
enum class SumOrder { ranks, any };

/// Releases all other ranks, with the reason. Returns true if no rank had failed before.
using TellOthers = std::function<bool(const std::string& reason)>;

/// NCCL over the ranks of `control`, which carries NCCL's id and keeps the ranks in step. Collective. Returns
/// null on every rank if NCCL cannot serve this team: the build or a rank's machine has no NCCL, or ranks
/// share a GPU and this NCCL does not allow that. If a collective fails on this rank, `tell_others`, which
/// may be empty, is called before anything is waited for. Throws CommError if NCCL fails. `control`, `hosts`
/// and the device of `context` must outlive the result.
std::unique_ptr<NcclLink> make_nccl_link(Communicator& control, const HostLayout& hosts,
                                         const cuda::DeviceContext& context, SumOrder order,
                                         TellOthers tell_others = {});

}  // namespace widehash::detail
