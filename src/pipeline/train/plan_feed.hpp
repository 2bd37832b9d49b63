#pragma once

/// \file
/// The steps of an epoch for the devices of one process: each asks for every step in order, at its own pace,
/// and rows are planned and shards opened once for all. The order of rows is that of one device: a function
/// of seed, epoch and manifest, so that processes plan the same without speaking of it.

#include "batch_stream.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

namespace widehash {

/// A step as all devices of the process see it.
class PlannedStep {
 public:
  const BatchPlan& plan() const noexcept { return plan_; }
  std::uint64_t num_rows() const noexcept { return num_rows_; }

  /// All its rows, gathered by the first device that asks, for those that each need every row. Any number of
  /// threads.
  const CodeBatch& all_rows(const std::shared_ptr<const CodeLayout>& layout);

 private:
  friend class PlanFeed;

  BatchPlan plan_;
  std::uint64_t num_rows_ = 0;
  std::once_flag gathered_;
  CodeBatch rows_;
};

class PlanFeed {
 public:
  /// `steps` of about `step_rows` rows, of all devices together. `dataset` must outlive the feed. Shards are opened on
  /// `num_threads` threads, those of all devices, which have nothing to do before.
  PlanFeed(const Dataset& dataset, std::uint64_t step_rows, const BatchCut& steps, std::uint64_t seed,
           bool shuffle, std::size_t num_readers, std::size_t num_threads);

  /// As BatchStream::check_shards().
  void check_shards(ShardCheck check) { stream_.check_shards(std::move(check)); }

  /// Steps of an epoch.
  std::uint64_t num_steps() const noexcept { return stream_.num_batches(); }

  /// A step; null past the last. Each reader asks for the steps of an epoch in order, beginning anywhere, and
  /// all begin with the same. Any number of threads. Throws DataError for a damaged shard.
  std::shared_ptr<PlannedStep> step(std::uint64_t epoch, std::uint64_t step);

 private:
  struct Planned {
    std::shared_ptr<PlannedStep> step;
    std::size_t readers_left = 0;
  };

  std::mutex mutex_;
  BatchStream stream_;
  std::size_t num_readers_;
  bool is_started_ = false;
  std::uint64_t epoch_ = 0;
  std::uint64_t first_step_ = 0;  // of planned_
  std::deque<Planned> planned_;   // as long as the fastest reader is ahead of the slowest
};

/// The rows [begin, begin + count) of a plan's.
BatchPlan slice_of(const BatchPlan& plan, std::uint64_t begin, std::uint64_t count);

}  // namespace widehash
