#pragma once

/// \file
/// Collectives that stay in the memory of GPUs. Where a team has none, its numbers travel through the host.

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
  /// Of these those to ranks of other hosts; of sums in any order none are counted, because only NCCL knows.
  virtual std::uint64_t bytes_sent_to_other_hosts() const noexcept = 0;
  virtual std::vector<CollectiveSpan> collective_spans() const = 0;

  /// Another rank failed: collectives that wait for it on the device end now, whatever their numbers are. Any
  /// thread.
  virtual void cut_off() noexcept = 0;
  virtual bool is_cut_off() const noexcept = 0;
};

/// Whether sums add pairs of ranks, with the bits that threads and MPI give, or as NCCL likes.
enum class SumOrder { ranks, any };

/// Lets all other ranks go, with the reason. True where no rank had failed before.
using TellOthers = std::function<bool(const std::string& reason)>;

/// NCCL over the ranks of `control`, which carries NCCL's id and keeps the ranks in step; collective. Null
/// where NCCL cannot serve this team, on every rank alike: the build or a rank's machine has none, or ranks
/// share a GPU and this NCCL does not let them. Where a collective fails on this rank, `tell_others` is
/// called before anything is waited for; it may be empty. Throws CommError where NCCL fails. `control`,
/// `hosts` and the device of `context` outlive the result.
std::unique_ptr<NcclLink> make_nccl_link(Communicator& control, const HostLayout& hosts,
                                         const cuda::DeviceContext& context, SumOrder order,
                                         TellOthers tell_others = {});

}  // namespace widehash::detail
