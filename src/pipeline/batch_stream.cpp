#include "batch_stream.hpp"

#include <widehash/threads.hpp>

#include <algorithm>

namespace widehash {
namespace {

template <class T>
void copy_slots(std::span<const T> from, std::size_t row, RawVector<T>& to, std::size_t to_row,
                std::size_t stride) {
  std::copy_n(from.data() + row * stride, stride, to.data() + to_row * stride);
}

// Shards of one dataset share one layout, so a row goes over slot by slot.
void copy_row(const CodeBatchView& from, std::size_t row, CodeBatch& to, std::size_t to_row) {
  const CodeLayout& layout = *from.layout;
  copy_slots(from.codes, row, to.codes, to_row, layout.code_stride);
  copy_slots(from.columns, row, to.columns, to_row, layout.column_stride);
  copy_slots(from.numbers, row, to.numbers, to_row, layout.number_stride);
  if (layout.has_targets) to.targets[to_row] = from.targets[row];
  if (layout.has_weights) to.weights[to_row] = from.weights[row];
  if (layout.has_ragged) {
    const auto run = from.ragged.subspan(from.ragged_offsets[row],
                                         from.ragged_offsets[row + 1] - from.ragged_offsets[row]);
    to.ragged.insert(to.ragged.end(), run.begin(), run.end());
    to.ragged_offsets[to_row + 1] = to.ragged.size();
  }
}

}  // namespace

BatchStream::BatchStream(const Dataset& dataset, std::uint64_t batch_size, std::uint64_t seed, bool shuffle)
    : dataset_(dataset),
      batch_size_(batch_size),
      seed_(seed),
      shuffle_(shuffle),
      verified_(dataset.num_shards(), false) {}

std::uint64_t BatchStream::num_batches() const noexcept {
  return dataset_.num_rows() / batch_size_ + (dataset_.num_rows() % batch_size_ != 0 ? 1 : 0);
}

void BatchStream::start(std::uint64_t epoch, std::uint64_t first_batch) {
  epoch_ = epoch;
  windows_ = row_windows(dataset_.manifest().shards, seed_, epoch, shuffle_);
  batch_ = first_batch;
  row_ = first_batch >= num_batches() ? dataset_.num_rows() : first_batch * batch_size_;
  window_ = 0;
  while (window_ < windows_.size() && windows_[window_].first_row + windows_[window_].num_rows <= row_)
    ++window_;
  open_.reset();
}

std::shared_ptr<const OpenWindow> BatchStream::open(std::size_t window) {
  auto opened = std::make_shared<OpenWindow>();
  const RowWindow& rows = windows_[window];
  const std::size_t count = rows.shards.size();
  std::vector<std::unique_ptr<Shard>> shards(count);
  // Verifying reads every byte, so it is also what brings the window into memory.
  parallel_for(count, [&](std::size_t i) {
    const std::size_t shard = rows.shards[i];
    shards[i] = std::make_unique<Shard>(dataset_.open_shard(shard, !verified_[shard]));
    shards[i]->mapping().prefetch();
  });
  std::uint64_t first_row = 0;
  for (std::size_t i = 0; i < count; ++i) {
    verified_[rows.shards[i]] = true;
    opened->first_rows.push_back(first_row);
    first_row += shards[i]->view().num_rows;
    opened->shards.push_back(std::move(*shards[i]));
  }
  if (shuffle_) opened->order = permutation(rows.num_rows, seed_, epoch_, window + 1);
  return opened;
}

bool BatchStream::next_plan(BatchPlan& plan) {
  plan.batch = batch_;
  plan.runs.clear();
  std::uint64_t wanted = batch_size_;
  while (wanted > 0 && window_ < windows_.size()) {
    const RowWindow& rows = windows_[window_];
    const std::uint64_t begin = row_ - rows.first_row;
    const std::uint64_t count = std::min(wanted, rows.num_rows - begin);
    if (count > 0) {
      if (open_ == nullptr) open_ = open(window_);
      plan.runs.push_back({open_, begin, count});
    }
    row_ += count;
    wanted -= count;
    if (begin + count == rows.num_rows) {
      ++window_;
      open_.reset();
    }
  }
  if (plan.runs.empty()) return false;
  ++batch_;
  return true;
}

void BatchStream::gather(const BatchPlan& plan, CodeBatch& batch) {
  std::uint64_t num_rows = 0;
  for (const RowRun& run : plan.runs) num_rows += run.count;
  batch.clear();
  batch.resize(num_rows);
  std::size_t to_row = 0;
  for (const RowRun& run : plan.runs) {
    const OpenWindow& window = *run.window;
    for (std::uint64_t i = run.begin; i < run.begin + run.count; ++i) {
      const std::uint64_t row = window.order.empty() ? i : window.order[i];
      const auto after = std::upper_bound(window.first_rows.begin(), window.first_rows.end(), row);
      const auto shard = static_cast<std::size_t>(after - window.first_rows.begin()) - 1;
      copy_row(window.shards[shard].view(), row - window.first_rows[shard], batch, to_row++);
    }
  }
}

}  // namespace widehash
