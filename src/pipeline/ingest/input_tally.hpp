#pragma once

/// \file
/// Adds up the rows and lines of the inputs, block after block.

#include "rejected_rows.hpp"

#include <widehash/input.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace widehash {

/// The counts of a block whose text has been read.
struct BlockCounts {
  std::size_t input = 0;
  std::uint64_t header_lines = 0;  // of its input, before the first block
  std::uint64_t num_lines = 0;
  std::uint64_t rows_counted = 0;  // in the raw bytes
  std::uint64_t rows_read = 0;     // by the parser, good and bad
};

class InputTally {
 public:
  explicit InputTally(std::size_t num_inputs)
      : lines_(num_inputs, 0), rows_counted_(num_inputs, 0), rows_read_(num_inputs, 0) {}

  /// Call it for every block in order. Changes the lines of the block's rejected rows, which are counted from
  /// 0 at the block's start, to lines of the file.
  void settle(const BlockCounts& block, std::vector<RejectedRow>& rejected);

  std::uint64_t rows_read(std::size_t input) const { return rows_read_.at(input); }
  /// Checks that the parser has returned every row that the raw bytes hold, good or bad. Throws DataError,
  /// with `consequence`, where the numbers differ in an input.
  void require_all_rows(const std::vector<Input>& inputs, std::string_view consequence) const;

 private:
  std::vector<std::uint64_t> lines_;  // of each input, in the blocks settled
  std::vector<std::uint64_t> rows_counted_;
  std::vector<std::uint64_t> rows_read_;
};

/// Bytes of all inputs on disk; 0 where one of them is a stream.
std::uint64_t bytes_on_disk(const std::vector<Input>& inputs) noexcept;

}  // namespace widehash
