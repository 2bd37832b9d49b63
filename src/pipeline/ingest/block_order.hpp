#pragma once

/// \file
/// Puts the results of blocks, which arrive in any order, back into the order of the inputs and their blocks.
/// Waiting results should be small, or limited by their size (BlockLimits::waiting_bytes).

#include "input_blocks.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace widehash {

template <class Result>
class BlockOrder {
 public:
  explicit BlockOrder(std::size_t num_inputs) : num_blocks_(num_inputs) {}

  /// `num_bytes` is the size by which `result` counts in waiting_bytes() while it waits.
  void add(std::size_t input, std::uint64_t block, Result result, std::uint64_t num_bytes = 0) {
    waiting_bytes_ += num_bytes;
    waiting_.emplace(std::pair(input, block), Waiting{std::move(result), num_bytes});
  }
  void add(const InputEnd& end) { num_blocks_.at(end.input) = end.num_blocks; }

  /// The result of the next block in order; nothing where it has not arrived.
  std::optional<Result> next() {
    while (input_ < num_blocks_.size() && num_blocks_[input_] == block_) {
      ++input_;
      block_ = 0;
    }
    const auto first = waiting_.begin();
    if (first == waiting_.end() || first->first != std::pair(input_, block_)) return std::nullopt;
    ++block_;
    std::optional<Result> result = std::move(first->second.result);
    waiting_bytes_ -= first->second.num_bytes;
    waiting_.erase(first);
    return result;
  }
  /// Whether next() has returned every block of every input.
  bool is_complete() const noexcept { return input_ == num_blocks_.size(); }
  /// Bytes of the results that wait. May be read by threads other than the one that adds and takes.
  const std::atomic<std::uint64_t>& waiting_bytes() const noexcept { return waiting_bytes_; }

 private:
  struct Waiting {
    Result result;
    std::uint64_t num_bytes;
  };

  std::vector<std::optional<std::uint64_t>> num_blocks_;  // of each input, once its end is known
  std::map<std::pair<std::size_t, std::uint64_t>, Waiting> waiting_;
  std::atomic<std::uint64_t> waiting_bytes_{0};
  std::size_t input_ = 0;  // whose turn it is
  std::uint64_t block_ = 0;
};

}  // namespace widehash
