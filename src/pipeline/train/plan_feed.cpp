#include "plan_feed.hpp"

#include <widehash/threads.hpp>

#include <algorithm>

namespace widehash {

PlanFeed::PlanFeed(const Dataset& dataset, std::uint64_t step_rows, const BatchCut& steps, std::uint64_t seed,
                   bool shuffle, std::size_t num_readers, std::size_t num_threads)
    : stream_(dataset, step_rows, steps, seed, shuffle, num_threads), num_readers_(num_readers) {}

const CodeBatch& PlannedStep::all_rows(const std::shared_ptr<const CodeLayout>& layout) {
  std::call_once(gathered_, [&] {
    // As in PlanFeed::step(): other threads wait for this one.
    run_isolated([&] {
      rows_ = CodeBatch(layout);
      BatchStream::gather(plan_, rows_);
    });
  });
  return rows_;
}

std::shared_ptr<PlannedStep> PlanFeed::step(std::uint64_t epoch, std::uint64_t step) {
  const std::lock_guard lock(mutex_);
  if (!is_started_ || epoch != epoch_) {
    stream_.start(epoch, step);
    is_started_ = true;
    epoch_ = epoch;
    first_step_ = step;
    planned_.clear();
  }
  while (first_step_ + planned_.size() <= step) {
    auto next = std::make_shared<PlannedStep>();
    bool found = false;
    // If this thread helped out elsewhere while it waits for shards, it could come back here for the lock
    // that it holds.
    run_isolated([&] { found = stream_.next_plan(next->plan_); });
    if (!found) return nullptr;
    next->num_rows_ = num_rows_of(next->plan_);
    planned_.push_back({std::move(next), num_readers_});
  }
  Planned& wanted = planned_[step - first_step_];
  std::shared_ptr<PlannedStep> planned = wanted.step;
  --wanted.readers_left;
  while (!planned_.empty() && planned_.front().readers_left == 0) {
    planned_.pop_front();
    ++first_step_;
  }
  return planned;
}

BatchPlan slice_of(const BatchPlan& plan, std::uint64_t begin, std::uint64_t count) {
  BatchPlan slice;
  slice.batch = plan.batch;
  for (const RowRun& run : plan.runs) {
    const std::uint64_t skipped = std::min(begin, run.count);
    const std::uint64_t taken = std::min(count, run.count - skipped);
    if (taken > 0) slice.runs.push_back({run.window, run.begin + skipped, taken});
    begin -= skipped;
    count -= taken;
  }
  return slice;
}

}  // namespace widehash
