#pragma once

/// \file
/// One input of a run, block by block.

#include "encode/row_rules.hpp"

#include <widehash/encoder.hpp>
#include <widehash/input.hpp>
#include <widehash/internal/block_reader.hpp>
#include <widehash/schema.hpp>

#include <cstdint>
#include <memory>

namespace widehash {

/// What is known of an input once it is open.
struct InputStart {
  std::shared_ptr<const FieldBinding> binding;
  std::uint64_t header_lines = 0;
  bool stays_on_disk = false;   // whoever works on a block reads its text
  bool dealt_by_block = false;  // every line end ends a row too, so anybody can begin at any block
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

}  // namespace widehash
