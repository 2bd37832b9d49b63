#pragma once

/// \file
/// How long-running work reports progress to its caller. The library never prints; the caller draws. What
/// `rows` and `bytes` count depends on the work:
///
///     inspect, fit, transform, predict of text    rows, and bytes of the inputs as they lie on disk
///     verify, evaluate, export, predict
///       of a dataset                              rows, and bytes of shards; those of an npz are read three times
///     train                                       rows of all epochs together, both as rows and as bytes
///     audit, compare, explain, verify of tables   distinct values as rows, and features as bytes

#include <cstdint>
#include <functional>

namespace widehash {

struct Progress {
  std::uint64_t rows = 0;         // rows done so far
  std::uint64_t bytes_done = 0;   // bytes, or what stands for them: see above
  std::uint64_t bytes_total = 0;  // 0 if unknown (standard input)
  // The part of these that an earlier run had finished before this run resumed it. It says nothing about the
  // pace of this run.
  std::uint64_t earlier_rows = 0;
  std::uint64_t earlier_bytes = 0;
};

/// Called by one thread at a time, after each piece of the work (a block, a shard, a training step); the
/// caller decides how often to draw. May throw to stop the work.
using ProgressCallback = std::function<void(const Progress&)>;

}  // namespace widehash
