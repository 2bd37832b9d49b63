#pragma once

/// \file
/// Puts what comes from several ranks in any order back into the order of the inputs and their blocks. What
/// waits for its turn is small: reports, not rows.

#include "block_report.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace widehash {

class BlockOrder {
 public:
  explicit BlockOrder(std::size_t num_inputs) : num_blocks_(num_inputs) {}

  void add(BlockReport report) {
    const auto key = std::pair(report.counts.input, report.block);
    waiting_.emplace(key, std::move(report));
  }
  void add(const InputEnd& end) { num_blocks_.at(end.input) = end.num_blocks; }

  /// The next block in order, where it is there.
  std::optional<BlockReport> next() {
    while (input_ < num_blocks_.size() && num_blocks_[input_] == block_) {
      ++input_;
      block_ = 0;
    }
    const auto first = waiting_.begin();
    if (first == waiting_.end() || first->first != std::pair(input_, block_)) return std::nullopt;
    ++block_;
    std::optional<BlockReport> report = std::move(first->second);
    waiting_.erase(first);
    return report;
  }
  /// Whether next() has given every block of every input.
  bool is_complete() const noexcept { return input_ == num_blocks_.size(); }

 private:
  std::vector<std::optional<std::uint64_t>> num_blocks_;  // of each input, once its end was found
  std::map<std::pair<std::size_t, std::uint64_t>, BlockReport> waiting_;
  std::size_t input_ = 0;  // whose turn it is
  std::uint64_t block_ = 0;
};

}  // namespace widehash
