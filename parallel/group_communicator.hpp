#pragma once

/// \file
/// The collectives over a group of threads and processes.

#include "rank_group.hpp"

#include <widehash/communicator.hpp>

namespace widehash::detail {

class GroupCommunicator final : public Communicator {
 public:
  GroupCommunicator(RankGroup& group, std::size_t local);

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
  std::uint64_t bytes_sent() const noexcept override { return transport_->bytes_sent(); }

 private:
  std::unique_ptr<Transport> transport_;
  std::vector<std::byte> scratch_;
};

}  // namespace widehash::detail
