#pragma once

/// \file
/// The work of `fit` on one block: counts the values of its good rows.

#include "encode/good_rows.hpp"
#include "encode/row_rules.hpp"
#include "encode/value_columns.hpp"
#include "encode/value_reader.hpp"
#include "ingest/block_report.hpp"
#include "ingest/block_rows.hpp"
#include "ingest/input_blocks.hpp"

#include <widehash/encoder.hpp>
#include <widehash/input.hpp>
#include <widehash/internal/buffer_pool.hpp>
#include <widehash/internal/table_builder.hpp>
#include <widehash/schema.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace widehash {

class BlockCounter {
 public:
  /// Adds values to `builder`. Stops within a block that has more than `max_bad_rows` bad rows, because the
  /// run has then failed. The arguments must outlive the object.
  BlockCounter(const Schema& schema, const RowRules& rules, const std::vector<Input>& inputs,
               std::uint64_t max_bad_rows, TableBuilder& builder);

  /// May be called from any number of threads at once: the counts of values do not depend on their order.
  BlockReport count(InputBlock& block);

 private:
  // What a thread needs for a block; reused, so that memory is allocated once.
  struct Buffers {
    TileBuffers tiles;
    GoodRows good;  // of the current tile
    ValueColumns columns;
  };
  std::unique_ptr<Buffers> take_buffers();

  const Schema& schema_;
  const RowRules& rules_;
  const std::vector<Input>& inputs_;
  std::uint64_t max_bad_rows_;
  TableBuilder& builder_;
  std::size_t rows_per_count_;
  std::vector<ValueReader> readers_;
  BufferPool<Buffers> buffers_;
};

}  // namespace widehash
