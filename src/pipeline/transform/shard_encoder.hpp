#pragma once

/// \file
/// The work of `transform` on one block: its rows become a shard, or are compared with what an earlier run
/// made of them.

#include "ingest/block_report.hpp"
#include "ingest/block_rows.hpp"
#include "ingest/input_blocks.hpp"

#include <widehash/code_batch.hpp>
#include <widehash/encoder.hpp>
#include <widehash/input.hpp>
#include <widehash/internal/buffer_pool.hpp>
#include <widehash/schema.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace widehash {

class ShardEncoder {
 public:
  /// Shards go to `directory`; one of a block with more than `max_bad_rows` bad rows is not finished, for the
  /// run is then lost. Where `small_ones_wait`, those that waits_for_disk() are for the caller to flush. What is given
  /// must outlive the object.
  ShardEncoder(const Schema& schema, const Encoder& encoder, const std::vector<Input>& inputs,
               const std::string& directory, std::uint64_t max_bad_rows, bool small_ones_wait);

  /// Whether a block that was written is of a small input, and its shard was not flushed.
  bool waits_for_disk(const BlockReport& report) const noexcept;

  /// Writes the shard of a block. Any number of threads at once.
  BlockReport write(InputBlock& block);
  /// Reads a block whose shard stands and gives `known` back with its counts; a shard that is damaged is
  /// written again. Throws ConfigError where the text is not the one that `known` was made from.
  BlockReport compare(InputBlock& block, const BlockReport& known);

 private:
  // What a thread needs for a block; reused, so that memory is taken once and not grown anew for every block.
  struct Buffers {
    CodeBatch batch;
    TileBuffers tiles;
    EncodeScratch scratch;
  };
  std::unique_ptr<Buffers> take_buffers();
  BlockReport encode(InputBlock& block, bool may_wait);
  bool is_sound(const ManifestShard& shard) const;

  const Schema& schema_;
  const Encoder& encoder_;
  const std::vector<Input>& inputs_;
  const std::string& directory_;
  std::uint64_t max_bad_rows_;
  bool small_ones_wait_;
  BufferPool<Buffers> buffers_;
};

}  // namespace widehash
