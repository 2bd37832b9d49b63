#pragma once

/// \file
/// The blocks of all inputs of a run, one after another, each with the binding of its file's fields to the
/// schema.
///
/// Several ranks share a run without speaking of it: each walks over all inputs and takes what is dealt to
/// it. Blocks of a plain file whose dialect has no quote are dealt one by one; where only reading in order
/// tells where rows begin (compressed files, quoted dialects) the file is dealt as a whole.
///
/// One rank with three threads or more opens and decompresses the inputs behind the one whose turn it is
/// meanwhile.

#include "input_reader.hpp"
#include "input_tally.hpp"
#include "row_rules.hpp"

#include <widehash/block_reader.hpp>
#include <widehash/encoder.hpp>
#include <widehash/input.hpp>
#include <widehash/row_parser.hpp>
#include <widehash/schema.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace widehash {

/// Which of the blocks: those of one rank among `size`.
struct RankShare {
  std::uint64_t rank = 0;
  std::uint64_t size = 1;
};

struct InputEnd {
  std::size_t input = 0;
  std::uint64_t num_blocks = 0;
};

struct InputBlock {
  std::size_t input = 0;  // position in the list of inputs
  std::shared_ptr<const FieldBinding> binding;
  std::uint64_t header_lines = 0;
  std::uint64_t disk_bytes = 0;  // bytes on disk taken in for this block
  Block block;

  /// To be called when the text has been read.
  BlockCounts counts(std::uint64_t rows_read) const noexcept {
    return {input, header_lines, block.num_lines, block.num_rows, rows_read};
  }
};

class InputBlocks {
 public:
  /// `schema` and `rules` must outlive the object. With `needs_label`, an input without the label field is an
  /// error. Blocks that are read ahead take `ahead_bytes` at most.
  InputBlocks(const Schema& schema, const RowRules& rules, std::vector<Input> inputs,
              std::uint64_t block_bytes, bool needs_label, std::uint64_t ahead_bytes, RankShare share = {});
  InputBlocks(const InputBlocks&) = delete;  // threads that read ahead know where it is
  InputBlocks& operator=(const InputBlocks&) = delete;

  /// The next block of this share; false after the last.
  bool next(InputBlock& out);

  /// The ends of inputs that next() came to since this was called last; each end comes from one rank only.
  std::vector<InputEnd> take_ends() { return std::exchange(ends_, {}); }

 private:
  InputReader open(std::size_t input) const;
  void open_next();
  bool read_next(Block& block, std::uint64_t& position);
  void finish_input(bool is_own);

  const Schema& schema_;
  const RowRules& rules_;
  std::vector<Input> inputs_;
  std::uint64_t block_bytes_;
  bool needs_label_;
  RankShare share_;
  std::size_t inputs_ahead_;  // 0: each is read by who asks for its blocks
  std::size_t blocks_ahead_;  // of an input
  std::size_t current_ = 0;   // input being read
  std::size_t num_started_ = 0;
  std::unique_ptr<InputReader> reader_;
  std::deque<std::unique_ptr<InputAhead>> ahead_;  // from current_ on
  const InputStart* start_ = nullptr;              // of the input being read; null where none is
  std::uint64_t num_blocks_ = 0;                   // of it, so far
  std::uint64_t position_ = 0;                     // in it, on disk
  std::uint64_t blocks_dealt_ = 0;                 // one by one, of all inputs
  std::uint64_t inputs_dealt_ = 0;                 // as a whole
  std::vector<InputEnd> ends_;
};

}  // namespace widehash
