#pragma once

/// \file
/// The blocks of an input of a run, each with the binding of its file's fields to the schema.
///
/// Several ranks share a run without communicating: each opens all inputs and takes what is dealt to it.
/// Blocks of a plain file whose dialect has no quote are dealt one by one. Where rows can be found only by
/// reading in order (compressed files, quoted dialects), the file is dealt as a whole.

#include "input_reader.hpp"
#include "input_tally.hpp"
#include "run_inputs.hpp"

#include <widehash/encoder.hpp>
#include <widehash/internal/block_reader.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace widehash {

struct InputEnd {
  std::size_t input = 0;
  std::uint64_t num_blocks = 0;
};

struct InputBlock {
  std::size_t input = 0;  // position in the list of inputs
  std::shared_ptr<const FieldBinding> binding;
  std::uint64_t header_lines = 0;
  std::uint64_t disk_bytes = 0;  // bytes on disk read for this block
  Block block;

  /// Call it when the text has been read.
  BlockCounts counts(std::uint64_t rows_read) const noexcept {
    return {input, header_lines, block.num_lines, block.num_rows, rows_read};
  }
};

/// The blocks of one input that are in this rank's share, in order.
class InputBlocks {
 public:
  /// Opens input number `input`. `run` must outlive the object.
  InputBlocks(const RunInputs& run, std::size_t input);

  /// Reads the next block of this share. Returns false after the last.
  bool next(InputBlock& out);
  /// Whether blocks come without their text.
  bool stay_on_disk() const noexcept { return reader_.start().stays_on_disk; }
  /// After the last block: the end of the input, where this rank is the one that reports it.
  std::optional<InputEnd> end() const noexcept;

 private:
  bool is_dealt(std::uint64_t block) const noexcept;

  const RunInputs& run_;
  std::size_t input_;
  InputReader reader_;
  std::uint64_t num_blocks_ = 0;  // so far, of all shares
  std::uint64_t position_ = 0;    // on disk
};

}  // namespace widehash
