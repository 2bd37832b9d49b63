#pragma once

/// \file
/// The steps of an epoch for the devices of one process. Each device asks for every step in order, at its own
/// pace; rows are planned and shards opened once for all devices. The order of rows is the same as for one
/// device: a function of seed, epoch and manifest, so that processes make the same plan without communicating.

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

  /// Returns all rows of the step, gathered by the first device that asks. For devices that each need every
  /// row. Any number of threads at once.
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
  /// `steps` cuts the rows into steps of about `step_rows` rows, for all devices together. `dataset` must outlive the
  /// feed. Shards are opened on `num_threads` threads, those of all devices, which have nothing to do until then.
  PlanFeed(const Dataset& dataset, std::uint64_t step_rows, const BatchCut& steps, std::uint64_t seed,
           bool shuffle, std::size_t num_readers, std::size_t num_threads);

  /// As BatchStream::check_shards().
  void check_shards(ShardCheck check) { stream_.check_shards(std::move(check)); }

  /// The number of steps in an epoch.
  std::uint64_t num_steps() const noexcept { return stream_.num_batches(); }

  /// Returns a step, or null past the last one. Each reader asks for the steps of an epoch in order; readers may
  /// begin at any step, but all at the same one. Any number of threads at once. Throws DataError for a damaged shard.
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
  std::uint64_t first_step_ = 0;  // number of the first step in planned_
  std::deque<Planned> planned_;   // as many as the fastest reader is ahead of the slowest
};

/// Returns the rows [begin, begin + count) of a plan.
BatchPlan slice_of(const BatchPlan& plan, std::uint64_t begin, std::uint64_t count);

}  // namespace widehash
