#pragma once

/// \file
/// A dataset in batches of any size, in its own order or shuffled: what trains another model than those of
/// this library.
///
///     widehash::BatchReader reader(dataset, {.rows = 4096, .seed = 7, .epoch = 2});
///     widehash::CodeBatch batch(dataset->layout());
///     while (reader.next(batch)) learn(widehash::to_csr(batch.view()));

#include <widehash/code_batch.hpp>
#include <widehash/dataset.hpp>

#include <cstdint>
#include <memory>
#include <optional>

namespace widehash {

struct BatchReaderOptions {
  std::uint64_t rows = 65536;  // of a batch; the last one may be smaller
  /// Shuffles the rows; without one they come in the order of the dataset.
  std::optional<std::uint64_t> seed = std::nullopt;
  std::uint64_t epoch = 1;  // any number; each has an order of its own
};

/// Every row once. The order is a function of seed, epoch, the size of batches and the dataset alone: shards
/// come in random order, and rows are shuffled among those of up to 256 MiB of shards, from batches of 1024
/// rows on in groups of up to 32 neighbours. That is how train() shuffles, whose first epoch is epoch 0 here
/// (of the same seed, and of `rows` as many as it takes to a step), so that epoch 1 is its second. Its steps are
/// cut even, though, while batches are full but for the last one.
class BatchReader {
 public:
  /// Throws ConfigError where there are no rows to a batch.
  BatchReader(std::shared_ptr<const Dataset> dataset, const BatchReaderOptions& options);
  ~BatchReader();
  BatchReader(BatchReader&&) noexcept;
  BatchReader& operator=(BatchReader&&) noexcept;

  std::uint64_t num_batches() const noexcept;
  /// Puts the next rows in place of those of `batch`, which has the layout of the dataset; false after the
  /// last. Shards are verified when they are opened. Throws ShapeError for a batch of another layout or of
  /// none, DataError for a damaged shard, FileError. One thread at a time.
  bool next(CodeBatch& batch);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace widehash
