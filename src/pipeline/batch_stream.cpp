#include "batch_stream.hpp"

#include <widehash/threads.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

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

constexpr std::uint64_t rows_ahead = 16;
constexpr std::size_t cache_line_bytes = 64;

// A shuffled row is in no cache, and no prefetcher of the machine guesses the next one.
template <class T>
void fetch(std::span<const T> values, std::size_t row, std::size_t stride) noexcept {
  if (values.empty()) return;
  const auto* first = reinterpret_cast<const std::byte*>(values.data() + row * stride);
  const std::size_t bytes = stride * sizeof(T);
  for (std::size_t at = 0; at < bytes; at += cache_line_bytes) __builtin_prefetch(first + at);
  __builtin_prefetch(first + bytes - 1);
}

// Calls fetch(rows, row) and, some rows later, use(rows, row) for the rows of a plan in order.
template <class Fetch, class Use>
void for_each_row(const BatchPlan& plan, const Fetch& fetch, const Use& use) {
  for (const RowRun& run : plan.runs) {
    const OpenWindow& window = *run.window;
    const std::uint64_t end = run.begin + run.count;
    const CodeBatchView* rows = nullptr;  // of the shard met last: a group of rows nearly always lies in one
    std::uint64_t first = 0;
    const auto at = [&](std::uint64_t place, const auto& call) {
      const std::uint64_t row = window.row_at(place);
      if (rows == nullptr || row - first >= rows->num_rows) {
        const std::size_t shard = window.shard_of(row);
        rows = &window.shards[shard].view();
        first = window.first_rows[shard];
      }
      call(*rows, row - first);
    };
    const std::uint64_t ahead = window.order.empty() ? 0 : rows_ahead;
    for (std::uint64_t place = run.begin; place < std::min(end, run.begin + ahead); ++place) at(place, fetch);
    for (std::uint64_t place = run.begin; place < end; ++place) {
      if (ahead > 0 && place + ahead < end) at(place + ahead, fetch);
      at(place, use);
    }
  }
}

std::uint64_t num_rows(const BatchPlan& plan) noexcept {
  std::uint64_t count = 0;
  for (const RowRun& run : plan.runs) count += run.count;
  return count;
}

}  // namespace

// Windows hold few shards, and a count has no branch to guess wrong for a random row.
std::size_t OpenWindow::shard_of(std::uint64_t row) const noexcept {
  constexpr std::size_t most_counted = 32;
  if (first_rows.size() > most_counted) {
    const auto after = std::upper_bound(first_rows.begin(), first_rows.end(), row);
    return static_cast<std::size_t>(after - first_rows.begin()) - 1;
  }
  std::size_t before = 0;
  for (const std::uint64_t first : first_rows) before += row >= first ? 1 : 0;
  return before - 1;
}

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
  opened->group_rows = group_rows(batch_size_);
  if (shuffle_) opened->order = permutation(rows.num_rows / opened->group_rows, seed_, epoch_, window + 1);
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
  batch.clear();
  batch.resize(num_rows(plan));
  std::size_t to_row = 0;
  for_each_row(
      plan,
      [](const CodeBatchView& from, std::size_t row) {
        fetch(from.codes, row, from.layout->code_stride);
        fetch(from.columns, row, from.layout->column_stride);
        fetch(from.numbers, row, from.layout->number_stride);
        fetch(from.targets, row, 1);
      },
      [&](const CodeBatchView& from, std::size_t row) { copy_row(from, row, batch, to_row++); });
}

bool ScatteredBatch::suits(const CodeLayout& layout) noexcept {
  return layout.code_stride > 0 && layout.column_stride == 0 && layout.number_stride == 0 &&
         !layout.has_ragged;
}

void ScatteredBatch::look_at(const BatchPlan& plan, const CodeLayout& layout) {
  layout_ = &layout;
  codes_.resize(num_rows(plan));
  targets_.resize(layout.has_targets ? codes_.size() : 0);
  weights_.resize(layout.has_weights ? codes_.size() : 0);
  std::size_t to_row = 0;
  for_each_row(
      plan,
      [](const CodeBatchView& from, std::size_t row) {
        fetch(from.targets, row, 1);
        fetch(from.weights, row, 1);
      },
      [&](const CodeBatchView& from, std::size_t row) {
        codes_[to_row] = from.row_codes(row);
        if (layout.has_targets) targets_[to_row] = from.targets[row];
        if (layout.has_weights) weights_[to_row] = from.weights[row];
        ++to_row;
      });
}

CodeBatchView ScatteredBatch::view() const noexcept {
  CodeBatchView view;
  view.layout = layout_;
  view.num_rows = codes_.size();
  view.targets = targets_;
  view.weights = weights_;
  view.scattered_codes = codes_;
  return view;
}

}  // namespace widehash
