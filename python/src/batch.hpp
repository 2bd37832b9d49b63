#pragma once

/// \file
/// Encoded rows as Python sees them, whether they are in memory or in a mapped shard.

#include "bindings.hpp"

#include <widehash/code_batch.hpp>
#include <widehash/encoder.hpp>
#include <widehash/shard.hpp>

#include <memory>
#include <vector>

namespace widehash::python {

/// Immutable.
struct Batch {
  CodeBatchView view;
  std::shared_ptr<const void> owner;  // of what is looked at
  EncodingFingerprint fingerprint;
  bool has_label = false;
  bool has_weight = false;
  std::vector<EncodeIssue> rejected = {};

  static Batch of(CodeBatch rows, const EncodingFingerprint& fingerprint);
  static Batch of(Shard shard, std::shared_ptr<const CodeLayout> layout,
                  const EncodingFingerprint& fingerprint);
};

}  // namespace widehash::python
