#pragma once

/// \file
/// Encoded rows as Python sees them, whether they are in memory or in a mapped shard.

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

/// Immutable.
struct Batch {
  CodeBatchView view;
  std::shared_ptr<const void> owner;         // of what is looked at
  std::shared_ptr<const CodeLayout> layout;  // of the view; its copies have it without having the owner
  EncodingFingerprint fingerprint;
  bool has_label = false;
  bool has_weight = false;
  std::vector<EncodeIssue> rejected = {};

  static Batch of(CodeBatch rows, const EncodingFingerprint& fingerprint);
  /// Of a dataset: labels and weights are there where the layout has them.
  static Batch of_dataset(CodeBatch rows, const EncodingFingerprint& fingerprint);
  static Batch of(Shard shard, std::shared_ptr<const CodeLayout> layout,
                  const EncodingFingerprint& fingerprint);

  /// Rows [begin, begin + count), where they lie. None of them is one of `rejected`. Throws ShapeError past
  /// the end.
  Batch rows(std::size_t begin, std::size_t count) const;
  /// The rows of these numbers, copied. Throws ShapeError for one that is not below the number of rows.
  Batch rows(std::span<const std::size_t> numbers) const;
  /// Itself, or, where it comes from a dataset of another version whose codes have other sizes, its rows in
  /// `wanted`.
  Batch in_layout(const std::shared_ptr<const CodeLayout>& wanted) const;
};

}  // namespace widehash::python
