#pragma once

/// \file
/// Encoded rows as Python sees them, in memory or in a mapped shard.

#include "bindings.hpp"

#include <widehash/code_batch.hpp>
#include <widehash/encoder.hpp>
#include <widehash/shard.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace widehash::python {

/// Encoded rows with their labels and weights. Immutable.
struct Batch {
  CodeBatchView view;
  std::shared_ptr<const void> owner;         // of the memory that `view` refers to
  std::shared_ptr<const CodeLayout> layout;  // of `view`; copied rows share it without the owner
  EncodingFingerprint fingerprint;
  bool has_label = false;
  bool has_weight = false;
  std::vector<EncodeIssue> rejected = {};

  static Batch of(CodeBatch rows, const EncodingFingerprint& fingerprint);
  /// For rows of a dataset: labels and weights are present if the layout has them.
  static Batch of_dataset(CodeBatch rows, const EncodingFingerprint& fingerprint);
  static Batch of(Shard shard, std::shared_ptr<const CodeLayout> layout,
                  const EncodingFingerprint& fingerprint);

  /// Returns rows [begin, begin + count) without copying them. `rejected` of the result is empty. Throws
  /// ShapeError if the range goes beyond the end.
  Batch rows(std::size_t begin, std::size_t count) const;
  /// Copies the rows with these numbers. Throws ShapeError if a number is not below the number of rows.
  Batch rows(std::span<const std::size_t> numbers) const;
  /// Returns this batch, or its rows in the layout `wanted` if it comes from a dataset of another version
  /// whose codes have other sizes.
  Batch in_layout(const std::shared_ptr<const CodeLayout>& wanted) const;
};

}  // namespace widehash::python
