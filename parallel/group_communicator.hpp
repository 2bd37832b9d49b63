#pragma once

/// \file
/// The collectives over a group of threads and processes.

#include "all_reduce.hpp"
#include "nccl_link.hpp"
#include "rank_group.hpp"

#include <widehash/communicator.hpp>

namespace widehash::detail {

class GroupCommunicator final : public Communicator {
 public:
  /// `on_one_gpu`: all ranks are in this process and on the same GPU, so each can read the others' memory
  /// there. Ranks on different GPUs add in the order `device_sums`.
  GroupCommunicator(RankGroup& group, std::size_t local, const Device& device, bool on_one_gpu,
                    SumOrder device_sums);
  ~GroupCommunicator() override;

  using Communicator::all_reduce;
  using Communicator::reduce_scatter;
  void all_reduce(std::span<float> values) override;
  void all_reduce(std::span<double> values) override;
  void reduce_scatter(std::span<const float> values, std::span<const std::size_t> offsets,
                      std::span<float> own) override;
  void reduce_scatter(std::span<const double> values, std::span<const std::size_t> offsets,
                      std::span<double> own) override;
  void all_gather_bytes(Bytes own, std::span<const std::size_t> offsets, std::span<std::byte> whole) override;
  void gather_bytes(Bytes own, std::span<const std::size_t> offsets, int root,
                    std::span<std::byte> whole) override;
  void broadcast_bytes(std::span<std::byte> values, int root) override;
  void all_to_all_bytes(std::span<const Bytes> to, std::span<const std::span<std::byte>> from) override;
  void barrier() override;
  std::vector<CollectiveSpan> collective_spans() override {
    return nccl_ == nullptr ? std::vector<CollectiveSpan>() : nccl_->collective_spans();
  }
  /// Whether collectives between GPUs were ended because another rank had failed. Their results are then
  /// meaningless.
  bool is_cut_off() const noexcept { return nccl_ != nullptr && nccl_->is_cut_off(); }
  /// Called when the work on this rank has ended, possibly in the middle of a collective.
  void leave() noexcept { transport_->look_away(); }
  std::uint64_t bytes_sent() const noexcept override {
    return transport_->bytes_sent() + (nccl_ == nullptr ? 0 : nccl_->bytes_sent());
  }
  std::uint64_t bytes_sent_to_other_hosts() const noexcept override {
    return transport_->bytes_sent_to_other_hosts() +
           (nccl_ == nullptr ? 0 : nccl_->bytes_sent_to_other_hosts());
  }

 protected:
  void all_reduce_on_device(DeviceSpan<float> values) override;
  void reduce_scatter_on_device(DeviceSpan<const float> values, std::span<const std::size_t> offsets,
                                DeviceSpan<float> own) override;
  void all_gather_on_device(DeviceSpan<const float> own, std::span<const std::size_t> offsets,
                            DeviceSpan<float> whole) override;

 private:
  /// The NCCL link between GPUs; null if there is none. Created at the first collective on devices, in which
  /// every rank takes part.
  NcclLink* nccl(const cuda::DeviceContext& context);

  RankGroup& group_;
  std::size_t local_;
  bool on_one_gpu_;
  SumOrder device_sums_;
  std::unique_ptr<Transport> transport_;
  ReduceCopies copies_;
  bool asked_for_nccl_ = false;
  std::unique_ptr<NcclLink> nccl_;
};

}  // namespace widehash::detail
