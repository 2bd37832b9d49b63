#pragma once

/// \file
/// Rows and lines of the inputs, added up block after block.

#include "rejected_rows.hpp"

#include <widehash/input.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace widehash {

/// What is counted in a block when its text has been read.
struct BlockCounts {
  std::size_t input = 0;
  std::uint64_t header_lines = 0;  // of its input, before the first block
  std::uint64_t num_lines = 0;
  std::uint64_t rows_counted = 0;  // over the raw bytes
  std::uint64_t rows_read = 0;     // out of the parser, good and bad
};

class InputTally {
 public:
  explicit InputTally(std::size_t num_inputs)
      : lines_(num_inputs, 0), rows_counted_(num_inputs, 0), rows_read_(num_inputs, 0) {}

  /// To be called for every block in order. Gives the rejected rows of the block their lines in the file;
  /// they come with lines counted from 0.
  void settle(const BlockCounts& block, std::vector<RejectedRow>& rejected);

  std::uint64_t rows_read(std::size_t input) const { return rows_read_.at(input); }
  /// Every row that the raw bytes hold must have come out of the parser, good or bad: throws DataError with
  /// `consequence` where one input has others.
  void require_all_rows(const std::vector<Input>& inputs, std::string_view consequence) const;

 private:
  std::vector<std::uint64_t> lines_;  // of each input, in the blocks settled
  std::vector<std::uint64_t> rows_counted_;
  std::vector<std::uint64_t> rows_read_;
};

/// Bytes of all inputs on disk; 0 where a stream is among them.
std::uint64_t bytes_on_disk(const std::vector<Input>& inputs) noexcept;

}  // namespace widehash
