#pragma once

/// \file
/// The work of `transform` on one block: encodes its rows into a shard, or compares them with what an earlier
/// run made of them.

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
  /// Shards are written to `directory`. The shard of a block with more than `max_bad_rows` bad rows is not
  /// finished, since the run is then lost. If `small_ones_wait`, the caller must flush the shards for which
  /// waits_for_disk() is true. The arguments must outlive the object.
  ShardEncoder(const Schema& schema, const Encoder& encoder, const std::vector<Input>& inputs,
               const std::string& directory, std::uint64_t max_bad_rows, bool small_ones_wait);

  /// Returns whether a written block belongs to a small input, so that its shard was not flushed.
  bool waits_for_disk(const BlockReport& report) const noexcept;

  /// Writes the shard of a block. Any number of threads at once.
  BlockReport write(InputBlock& block);
  /// Reads a block whose shard exists, and returns `known` with the counts of the block. Writes the shard
  /// again if it is damaged. Throws ConfigError where the text is not the one that `known` was made from.
  BlockReport compare(InputBlock& block, const BlockReport& known);

 private:
  // A thread's buffers for a block, reused so that memory is not allocated and grown anew for every block.
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
