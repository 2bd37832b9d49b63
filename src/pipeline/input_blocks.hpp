#pragma once

/// \file
/// The blocks of all inputs of a run, one after another, each with the binding of its file's fields to the
/// schema.

#include "rejected_rows.hpp"
#include "row_rules.hpp"

#include <widehash/block_reader.hpp>
#include <widehash/encoder.hpp>
#include <widehash/input.hpp>
#include <widehash/progress.hpp>
#include <widehash/row_parser.hpp>
#include <widehash/schema.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace widehash {

Dialect dialect_of(const Schema& schema);

struct InputBlock {
  std::size_t input = 0;  // position in the list of inputs
  std::shared_ptr<const FieldBinding> binding;
  std::uint64_t bytes_done = 0;  // bytes on disk taken in when the block was read, all inputs together
  Block block;
};

class InputBlocks {
 public:
  /// `rules` must outlive the object. With `needs_label`, an input without the label field is an error.
  InputBlocks(const Schema& schema, const RowRules& rules, std::vector<Input> inputs,
              std::uint64_t block_bytes, bool needs_label);

  const std::vector<Input>& inputs() const noexcept { return inputs_; }

  /// The next block of the run; false after the last.
  bool next(InputBlock& out);

  /// To be called for every block in order, when its text has been read: counts its rows and lines, and gives
  /// the rejected rows of the block their lines in the file; they come with lines counted from 0.
  void settle(const InputBlock& block, std::vector<RejectedRow>& rejected);

  /// Rows of the settled blocks of an input as counted over its raw bytes.
  std::uint64_t rows_counted(std::size_t input) const { return rows_counted_.at(input); }
  /// Bytes of all inputs on disk; 0 where a stream is among them.
  std::uint64_t bytes_total() const noexcept;

 private:
  void open_next();

  const Schema& schema_;
  const RowRules& rules_;
  std::vector<Input> inputs_;
  std::uint64_t block_bytes_;
  bool needs_label_;
  std::size_t current_ = 0;  // input being read
  std::unique_ptr<BlockReader> reader_;
  std::shared_ptr<const FieldBinding> binding_;
  std::vector<std::uint64_t> rows_counted_;
  std::vector<std::uint64_t> lines_before_;  // of each input, up to the next block to settle
  std::uint64_t finished_bytes_ = 0;
};

}  // namespace widehash
