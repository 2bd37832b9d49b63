#pragma once

/// \file
/// The batches of an epoch, in the order of row_order.hpp. Reading is split in two so that the costly part
/// can run ahead on other threads: next_plan() selects the rows, gather() copies them.

#include "batch_cut.hpp"
#include "closing_thread.hpp"
#include "row_order.hpp"

#include <widehash/code_batch.hpp>
#include <widehash/dataset.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace widehash {

/// The open shards of one window and the order of its rows.
struct OpenWindow {
  std::vector<std::shared_ptr<const Shard>> shards;
  std::vector<std::uint64_t> first_rows;  // of each shard within the window
  std::vector<std::uint64_t> order;       // of groups of `group_rows` rows; empty: in stored order
  std::uint64_t group_rows = 1;           // a power of two

  /// Returns the row of the window at position `place`: the groups in their order, then the rows that fill no group.
  std::uint64_t row_at(std::uint64_t place) const noexcept {
    const std::uint64_t group = place >> std::countr_zero(group_rows);
    return group < order.size() ? order[group] * group_rows + (place & (group_rows - 1)) : place;
  }
  /// Returns how many rows from position `place` on are neighbours in the window.
  std::uint64_t neighbours_at(std::uint64_t place) const noexcept {
    const std::uint64_t ordered = order.size() * group_rows;
    return place < ordered ? group_rows - (place & (group_rows - 1)) : ~std::uint64_t{0} - place;
  }
  /// Returns the shard that holds a row of the window.
  std::size_t shard_of(std::uint64_t row) const noexcept;
};

/// Some rows of one window.
struct RowRun {
  std::shared_ptr<const OpenWindow> window;
  std::uint64_t begin = 0;  // position in the window's order
  std::uint64_t count = 0;
};

/// One batch: usually one run, or several where the batch spans windows.
struct BatchPlan {
  std::uint64_t batch = 0;  // within the epoch
  std::vector<RowRun> runs;
};

std::uint64_t num_rows_of(const BatchPlan& plan) noexcept;

/// Rows that are neighbours in a shard.
struct RowSpan {
  const CodeBatchView* rows = nullptr;
  std::size_t first = 0;
  std::size_t count = 0;
};

/// The rows of a plan where a row consists of nothing but codes, a target and a weight. Codes stay where they
/// lie in the mapped shards, so that each is read from memory once, by the thread that trains on it. The plan
/// keeps the shards open.
class ScatteredBatch {
 public:
  /// Returns whether rows of `layout` are of that kind.
  static bool suits(const CodeLayout& layout) noexcept;

  void look_at(const BatchPlan& plan, const CodeLayout& layout);
  CodeBatchView view() const noexcept;

 private:
  const CodeLayout* layout_ = nullptr;
  std::vector<const std::uint16_t*> codes_;
  std::vector<float> targets_;
  std::vector<float> weights_;
  std::vector<RowSpan> spans_;
};

/// A dataset of at most this many bytes stays open from epoch to epoch: as many are mapped anyway where two windows
/// meet. Closing and reopening shards costs a page fault for every few of their pages, while the other devices wait.
inline constexpr std::uint64_t kept_open_bytes = 2 * shuffle_window_bytes;

/// Throws for rows that cannot be used; `path` is the path of their shard.
using ShardCheck = std::function<void(const CodeBatchView& rows, const std::string& path)>;

class BatchStream {
 public:
  /// `dataset` must outlive the stream. `cut` cuts its rows into batches of about `batch_size` rows. Shards are
  /// verified when they are first opened, concurrently on `num_threads` threads; 0 means the threads of the caller.
  BatchStream(const Dataset& dataset, std::uint64_t batch_size, const BatchCut& cut, std::uint64_t seed,
              bool shuffle, std::size_t num_threads = 0);
  /// Cuts full batches.
  BatchStream(const Dataset& dataset, std::uint64_t batch_size, std::uint64_t seed, bool shuffle,
              std::size_t num_threads = 0)
      : BatchStream(dataset, batch_size, BatchCut::full(dataset.num_rows(), batch_size), seed, shuffle,
                    num_threads) {}

  /// `check` is called for each shard when it is first opened, in the order of the window.
  void check_shards(ShardCheck check) { check_ = std::move(check); }

  /// The number of batches in an epoch.
  std::uint64_t num_batches() const noexcept { return cut_.num_batches(); }
  /// Moves to batch `first_batch` of `epoch` without reading the rows before it.
  void start(std::uint64_t epoch, std::uint64_t first_batch = 0);
  /// Plans the rows of the next batch. Returns false at the end of the epoch. One thread at a time.
  bool next_plan(BatchPlan& plan);

  /// Copies the rows of a plan to `batch`. Any number of threads at once.
  static void gather(const BatchPlan& plan, CodeBatch& batch);

 private:
  std::shared_ptr<const OpenWindow> open(std::size_t window);
  std::shared_ptr<const Shard> open_shard(std::size_t shard) const;

  const Dataset& dataset_;
  BatchCut cut_;
  std::uint64_t group_rows_;
  std::uint64_t seed_;
  bool shuffle_;
  std::size_t num_threads_;
  ShardCheck check_;
  std::uint64_t epoch_ = 0;
  std::vector<RowWindow> windows_;
  std::vector<bool> verified_;                      // by shard
  bool keeps_open_;                                 // the dataset is small enough
  std::vector<std::shared_ptr<const Shard>> kept_;  // the open shards, where they are kept
  std::uint64_t batch_ = 0;
  std::uint64_t row_ = 0;   // of the epoch, the next to be planned
  std::size_t window_ = 0;  // the window that holds row_
  std::shared_ptr<const OpenWindow> open_;
  std::shared_ptr<ClosingThread> closer_ = std::make_shared<ClosingThread>();  // for windows not kept
};

}  // namespace widehash
