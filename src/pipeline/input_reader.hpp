#pragma once

/// \file
/// One input of a run, block by block, and the same read ahead by a thread of its own.

#include "row_rules.hpp"

#include <widehash/block_reader.hpp>
#include <widehash/encoder.hpp>
#include <widehash/input.hpp>
#include <widehash/schema.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace widehash {

Dialect dialect_of(const Schema& schema);

/// What is known of an input once it is open.
struct InputStart {
  std::shared_ptr<const FieldBinding> binding;
  std::uint64_t header_lines = 0;
  bool dealt_by_block = false;  // every line end ends a row, so anybody can begin at any block
};

class InputReader {
 public:
  /// Opens the input. `rules` must outlive the object.
  InputReader(const Schema& schema, const RowRules& rules, const Input& input, std::uint64_t block_bytes,
              bool needs_label);

  const InputStart& start() const noexcept { return start_; }
  /// False after the last block.
  bool next(Block& block) { return reader_->next(block); }
  /// Bytes on disk taken in so far.
  std::uint64_t position() const noexcept { return reader_->position(); }

 private:
  std::unique_ptr<BlockReader> reader_;
  InputStart start_;
};

/// Opens and reads an input on its own thread, until `num_blocks` blocks wait: so several compressed inputs
/// are decompressed side by side, though their blocks come in order. What goes wrong is thrown where the
/// reader itself would have thrown it.
class InputAhead {
 public:
  InputAhead(std::function<InputReader()> open, std::size_t num_blocks);
  /// Stops reading after the block at hand.
  ~InputAhead();
  InputAhead(const InputAhead&) = delete;
  InputAhead& operator=(const InputAhead&) = delete;

  const InputStart& start();
  /// As InputReader::next(). What memory `block` has is used for a block to come.
  bool next(Block& block);
  /// As it was when the block given last had been read.
  std::uint64_t position() const noexcept { return position_; }

 private:
  struct Waiting {
    Block block;
    std::uint64_t position = 0;
  };

  void read();

  const std::function<InputReader()> open_;
  const std::size_t num_blocks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Under the mutex.
  std::unique_ptr<InputStart> start_;
  std::deque<Waiting> waiting_;
  std::string spare_text_;
  std::exception_ptr problem_;
  std::uint64_t end_position_ = 0;
  bool is_at_end_ = false;
  bool is_stopped_ = false;
  // Of the caller.
  std::uint64_t position_ = 0;
  std::thread thread_;
};

}  // namespace widehash
