#pragma once

/// \file
/// Reads one input of a run, block by block.

#include "run_inputs.hpp"

#include <widehash/encoder.hpp>
#include <widehash/input.hpp>
#include <widehash/internal/block_reader.hpp>

#include <cstdint>
#include <memory>

namespace widehash {

/// What is known about an input once it is open.
struct InputStart {
  std::shared_ptr<const FieldBinding> binding;
  std::uint64_t header_lines = 0;
  bool stays_on_disk = false;   // the thread that works on a block reads its text
  bool dealt_by_block = false;  // every line end also ends a row, so any rank can begin at any block
};

class InputReader {
 public:
  /// Opens the input, which must be one of `run`. Throws FileError; DataError (truncated, of an
  /// unsupported format, empty where that is not allowed); ConfigError (a field is missing); Stopped, as
  /// next() may, where it waits for an input and run.stop asks it to end.
  InputReader(const RunInputs& run, const Input& input);

  const InputStart& start() const noexcept { return start_; }
  /// Returns false after the last block.
  bool next(Block& block) { return reader_ != nullptr && reader_->next(block); }
  /// Bytes on disk read so far.
  std::uint64_t position() const noexcept { return reader_ != nullptr ? reader_->position() : empty_bytes_; }

 private:
  std::unique_ptr<BlockReader> reader_;  // null for an empty input
  std::uint64_t empty_bytes_ = 0;        // on disk, for an empty input that is compressed
  InputStart start_;
};

}  // namespace widehash
