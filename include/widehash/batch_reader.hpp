#pragma once

/// \file
/// Reads a dataset in batches of any size, in its own order or shuffled, for training models other than those
/// of this library.
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
  std::uint64_t rows = 65536;  // rows per batch; the last batch may be smaller
  /// Shuffles the rows. Without a seed they come in the order of the dataset.
  std::optional<std::uint64_t> seed = std::nullopt;
  std::uint64_t epoch = 1;  // any number; each epoch has its own order
};

/// Reads every row once. The order depends only on the seed, the epoch, the batch size and the dataset. With
/// a seed, shards come in random order, and rows are shuffled within windows of up to 256 MiB of shards. For
/// batches of 1024 rows or more, groups of up to 32 neighbouring rows are shuffled instead of single rows.
///
/// train() shuffles in the same way. With the same seed, and with `rows` set to its rows per step, its first
/// epoch is epoch 0 here and its second is epoch 1. However, train() cuts an epoch into steps of even size,
/// whereas all batches here are full except the last.
class BatchReader {
 public:
  /// Throws ConfigError if `dataset` is null or `options.rows` is 0.
  BatchReader(std::shared_ptr<const Dataset> dataset, const BatchReaderOptions& options);
  ~BatchReader();
  BatchReader(BatchReader&&) noexcept;
  BatchReader& operator=(BatchReader&&) noexcept;

  std::uint64_t num_batches() const noexcept;
  /// Replaces the rows of `batch`, which must have the layout of the dataset, by the next rows. Returns false
  /// after the last batch. Shards are verified when they are opened. Throws ShapeError if `batch` has another
  /// layout or none, DataError if a shard is damaged, and FileError. Not thread-safe.
  bool next(CodeBatch& batch);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace widehash
