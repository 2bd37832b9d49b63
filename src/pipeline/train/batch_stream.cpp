#include "batch_stream.hpp"

#include <widehash/threads.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace widehash {
namespace {

// Rows that are touched together before they are copied.
constexpr std::size_t spans_together = 64;
// Rows that lie in order are cut too, so that they are touched a little at a time.
constexpr std::uint64_t most_span_rows = 32;

// A shuffled row is in no cache, and no hardware prefetcher predicts the next one. Loads rather than prefetches: they
// reach pages that the processor has not looked up for a long time, and many of them are in flight at once.
void touch_bytes(const void* begin, std::size_t bytes) noexcept {
  constexpr std::size_t line_bytes = 64;
  constexpr std::size_t page_bytes = 4096;
  constexpr std::size_t most_lines = 128;
  const auto* const first = static_cast<const volatile char*>(begin);
  for (std::size_t at = 0; at < std::min(bytes, most_lines * line_bytes); at += line_bytes)
    static_cast<void>(first[at]);
  for (std::size_t at = page_bytes; at < bytes; at += page_bytes) static_cast<void>(first[at]);
  if (bytes > 0) static_cast<void>(first[bytes - 1]);
}

template <class T>
void touch(std::span<const T> values, const RowSpan& rows, std::size_t stride) noexcept {
  if (!values.empty()) touch_bytes(values.data() + rows.first * stride, rows.count * stride * sizeof(T));
}

void touch_slots(const RowSpan& span) noexcept {
  const CodeLayout& layout = *span.rows->layout;
  touch(span.rows->ragged_offsets, span, 1);
  touch(span.rows->codes, span, layout.code_stride);
  touch(span.rows->columns, span, layout.column_stride);
  touch(span.rows->numbers, span, layout.number_stride);
  touch(span.rows->targets, span, 1);
  touch(span.rows->weights, span, 1);
}

// Where runs begin is known only once their offsets have come.
void touch_runs(const RowSpan& span) noexcept {
  const CodeBatchView& rows = *span.rows;
  const auto all = rows.has_packed_runs() ? rows.packed_runs : std::as_bytes(rows.ragged);
  const std::size_t item_bytes = rows.has_packed_runs() ? 1 : sizeof rows.ragged[0];
  const std::uint64_t begin = rows.ragged_offsets[span.first] * item_bytes;
  const std::uint64_t end = rows.ragged_offsets[span.first + span.count] * item_bytes;
  if (begin <= end && end <= all.size()) touch_bytes(all.data() + begin, end - begin);
}

// Loads the first and the last of the values of `rows`, where each row has one value.
void touch(std::span<const float> values, const RowSpan& rows) noexcept {
  if (values.empty()) return;
  const volatile float* const first = values.data() + rows.first;
  static_cast<void>(*first);
  static_cast<void>(first[rows.count - 1]);
}

std::uint64_t bytes_of(std::span<const ManifestShard> shards) noexcept {
  std::uint64_t bytes = 0;
  for (const ManifestShard& shard : shards) bytes += shard.bytes;
  return bytes;
}

// Finds where the rows of a plan lie. Done beforehand, so that work on a row that waits for memory does not
// wait for its address too.
void find_spans(const BatchPlan& plan, std::vector<RowSpan>& spans) {
  spans.clear();
  for (const RowRun& run : plan.runs) {
    const OpenWindow& window = *run.window;
    const std::uint64_t end = run.begin + run.count;
    for (std::uint64_t place = run.begin; place < end;) {
      const std::uint64_t row = window.row_at(place);
      const std::size_t shard = window.shard_of(row);
      const CodeBatchView& rows = window.shards[shard]->view();
      const std::uint64_t first = row - window.first_rows[shard];
      const std::uint64_t count =
          std::min({window.neighbours_at(place), end - place, rows.num_rows - first, most_span_rows});
      spans.push_back({&rows, static_cast<std::size_t>(first), static_cast<std::size_t>(count)});
      place += count;
    }
  }
}

}  // namespace

std::uint64_t num_rows_of(const BatchPlan& plan) noexcept {
  std::uint64_t count = 0;
  for (const RowRun& run : plan.runs) count += run.count;
  return count;
}

// Windows hold few shards, and counting has no branch to mispredict for a random row.
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

BatchStream::BatchStream(const Dataset& dataset, std::uint64_t batch_size, const BatchCut& cut,
                         std::uint64_t seed, bool shuffle, std::size_t num_threads)
    : dataset_(dataset),
      cut_(cut),
      group_rows_(group_rows(batch_size)),
      seed_(seed),
      shuffle_(shuffle),
      num_threads_(num_threads),
      verified_(dataset.num_shards(), false),
      keeps_open_(bytes_of(dataset.manifest().shards) <= kept_open_bytes),
      kept_(dataset.num_shards()) {}

void BatchStream::start(std::uint64_t epoch, std::uint64_t first_batch) {
  epoch_ = epoch;
  windows_ = row_windows(dataset_.manifest().shards, seed_, epoch, shuffle_);
  batch_ = first_batch;
  row_ = cut_.begin(first_batch);
  window_ = 0;
  while (window_ < windows_.size() && windows_[window_].first_row + windows_[window_].num_rows <= row_)
    ++window_;
  open_.reset();
}

std::shared_ptr<const Shard> BatchStream::open_shard(std::size_t shard) const {
  if (kept_[shard] != nullptr) return kept_[shard];
  auto opened = std::make_shared<const Shard>(dataset_.open_shard(shard, !verified_[shard]));
  opened->mapping().prefetch();
  return opened;
}

std::shared_ptr<const OpenWindow> BatchStream::open(std::size_t window) {
  auto opened = std::make_shared<OpenWindow>();
  const RowWindow& rows = windows_[window];
  opened->shards.resize(rows.shards.size());
  // Verifying reads every byte, so it also brings the window into memory.
  const auto open_all = [&] {
    parallel_for(rows.shards.size(), [&](std::size_t i) { opened->shards[i] = open_shard(rows.shards[i]); });
  };
  if (num_threads_ == 0 || num_threads_ == current_threads()) {
    open_all();
  } else {
    with_share_of_threads(num_threads_, open_all);
  }
  std::uint64_t first_row = 0;
  for (std::size_t i = 0; i < rows.shards.size(); ++i) {
    const std::size_t shard = rows.shards[i];
    if (check_ && !verified_[shard]) {
      check_(opened->shards[i]->view(), dataset_.shard_path(shard));
    }
    verified_[shard] = true;
    if (keeps_open_) kept_[shard] = opened->shards[i];
    opened->first_rows.push_back(first_row);
    first_row += opened->shards[i]->view().num_rows;
  }
  opened->group_rows = group_rows_;
  if (shuffle_) opened->order = permutation(rows.num_rows / opened->group_rows, seed_, epoch_, window + 1);
  if (keeps_open_) return opened;
  // The last owner of the window hands it to the closing thread.
  return {opened.get(),
          [opened, closer = closer_](const OpenWindow*) mutable { closer->close(std::move(opened)); }};
}

bool BatchStream::next_plan(BatchPlan& plan) {
  plan.batch = batch_;
  plan.runs.clear();
  std::uint64_t wanted = cut_.begin(batch_ + 1) - row_;
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
  batch.resize(num_rows_of(plan));
  std::vector<RowSpan> spans;
  find_spans(plan, spans);
  std::size_t to_row = 0;
  for (std::size_t done = 0; done < spans.size(); done += spans_together) {
    const auto some = std::span(spans).subspan(done, std::min(spans_together, spans.size() - done));
    std::ranges::for_each(some, touch_slots);
    if (batch.layout().has_ragged) std::ranges::for_each(some, touch_runs);
    for (const RowSpan& span : some) {
      for (std::size_t i = 0; i < span.count; ++i) batch.set_row(to_row++, *span.rows, span.first + i);
    }
  }
}

bool ScatteredBatch::suits(const CodeLayout& layout) noexcept {
  return layout.code_stride > 0 && layout.column_stride == 0 && layout.number_stride == 0 &&
         !layout.has_ragged;
}

void ScatteredBatch::look_at(const BatchPlan& plan, const CodeLayout& layout) {
  layout_ = &layout;
  codes_.resize(num_rows_of(plan));
  targets_.resize(layout.has_targets ? codes_.size() : 0);
  weights_.resize(layout.has_weights ? codes_.size() : 0);
  find_spans(plan, spans_);
  // Loads rather than prefetches: they reach pages that the processor has not looked up for a long time, and
  // many of them are in flight at once.
  for (const RowSpan& span : spans_) {
    touch(span.rows->targets, span);
    touch(span.rows->weights, span);
  }
  std::size_t to_row = 0;
  for (const RowSpan& span : spans_) {
    const std::uint16_t* const codes = span.rows->row_codes(span.first);
    for (std::size_t i = 0; i < span.count; ++i) codes_[to_row + i] = codes + i * layout.code_stride;
    if (layout.has_targets) std::copy_n(&span.rows->targets[span.first], span.count, &targets_[to_row]);
    if (layout.has_weights) std::copy_n(&span.rows->weights[span.first], span.count, &weights_[to_row]);
    to_row += span.count;
  }
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
