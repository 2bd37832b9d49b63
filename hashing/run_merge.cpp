#include "run_merge.hpp"

#include <algorithm>
#include <cstring>

namespace widehash::detail {
namespace {

constexpr std::size_t header_bytes(bool wide) {
  return (wide ? 3 : 2) * sizeof(std::uint64_t) + sizeof(std::uint32_t);
}

/// Reads one feature's part of a run through a buffer. A value that fits the buffer is held in memory; a
/// longer one stays on disk and is skipped.
class RunCursor {
 public:
  RunCursor(const Run& run, std::size_t feature, std::size_t buffer_bytes)
      : run_(&run),
        part_(run.part(feature)),
        next_(part_.begin),
        buffer_begin_(part_.begin),
        buffer_(buffer_bytes) {}

  const ValueRecord& record() const noexcept { return record_; }

  bool advance() {
    if (next_ >= part_.end) return false;
    const std::byte* at = load(next_, header_bytes(run_->wide()));
    const auto take = [&at](auto& value) {
      std::memcpy(&value, at, sizeof value);
      at += sizeof value;
    };
    record_ = {};
    take(record_.hash.high);
    if (run_->wide()) take(record_.hash.low);
    take(record_.count);
    take(record_.length);
    const std::size_t record_bytes = header_bytes(run_->wide()) + record_.length;
    record_.file = &run_->file();
    record_.offset = next_ + header_bytes(run_->wide());
    if (record_bytes <= buffer_.size()) {
      record_.bytes = reinterpret_cast<const char*>(load(next_, record_bytes) + header_bytes(run_->wide()));
    }
    next_ += record_bytes;
    return true;
  }

 private:
  /// Loads bytes [offset, offset + size) of the part into the buffer. Requires size <= buffer size.
  const std::byte* load(std::uint64_t offset, std::size_t size) {
    if (offset < buffer_begin_ || offset + size > buffer_begin_ + filled_) {
      buffer_begin_ = offset;
      filled_ = static_cast<std::size_t>(std::min<std::uint64_t>(buffer_.size(), part_.end - offset));
      run_->file().read(offset, std::span(buffer_).first(filled_));
    }
    return buffer_.data() + (offset - buffer_begin_);
  }

  const Run* run_;
  Run::Part part_;
  std::uint64_t next_;
  std::uint64_t buffer_begin_;
  std::size_t filled_ = 0;
  std::vector<std::byte> buffer_;
  ValueRecord record_;
};

class RecordOrder {
 public:
  explicit RecordOrder(std::size_t buffer_bytes) : left_(buffer_bytes), right_(buffer_bytes) {}

  /// Negative, zero or positive if a comes before, equals or comes after b.
  int compare(const ValueRecord& a, const ValueRecord& b) {
    if (a.hash != b.hash) return a.hash < b.hash ? -1 : 1;
    const std::uint32_t common = std::min(a.length, b.length);
    for (std::uint32_t begin = 0; begin < common;) {
      const std::string_view left = a.piece(begin, left_);
      const std::string_view right = b.piece(begin, right_);
      const std::size_t size = std::min(left.size(), right.size());
      if (const int difference = std::memcmp(left.data(), right.data(), size)) return difference;
      begin += static_cast<std::uint32_t>(size);
    }
    return a.length < b.length ? -1 : a.length > b.length ? 1 : 0;
  }

 private:
  std::vector<std::byte> left_;
  std::vector<std::byte> right_;
};

}  // namespace

Run::Run(const std::string& directory, std::size_t num_features, bool wide, std::size_t buffer_bytes)
    : file_(directory, buffer_bytes), wide_(wide), begins_(num_features + 1) {}

void Run::begin_feature(std::size_t feature) {
  while (next_feature_ <= feature) begins_[next_feature_++] = file_.size_bytes();
}

void Run::append(const ValueRecord& record, std::span<std::byte> scratch) {
  file_.append_value(record.hash.high);
  if (wide_) file_.append_value(record.hash.low);
  file_.append_value(record.count);
  file_.append_value(record.length);
  record.for_each_piece(scratch,
                        [this](std::string_view part) { file_.append(std::as_bytes(std::span(part))); });
}

void Run::end() {
  begin_feature(begins_.size() - 1);
  file_.release_buffer();
}

void merge_runs(std::span<const Run> runs, std::size_t feature, std::size_t buffer_bytes,
                const std::function<void(const ValueRecord&)>& consume) {
  std::vector<RunCursor> cursors;
  cursors.reserve(runs.size());  // the heap holds pointers to its elements
  std::vector<RunCursor*> heap;
  RecordOrder order(buffer_bytes);
  const auto later = [&order](const RunCursor* a, const RunCursor* b) {
    return order.compare(a->record(), b->record()) > 0;
  };
  const auto push_next = [&](RunCursor* cursor) {
    if (!cursor->advance()) return;
    heap.push_back(cursor);
    std::push_heap(heap.begin(), heap.end(), later);
  };
  const auto pop = [&] {
    std::pop_heap(heap.begin(), heap.end(), later);
    RunCursor* const first = heap.back();
    heap.pop_back();
    return first;
  };

  for (const Run& run : runs) push_next(&cursors.emplace_back(run, feature, buffer_bytes));
  while (!heap.empty()) {
    RunCursor* const first = pop();
    ValueRecord record = first->record();
    while (!heap.empty() && order.compare(heap.front()->record(), record) == 0) {
      RunCursor* const same = pop();
      record.count += same->record().count;
      push_next(same);
    }
    consume(record);
    push_next(first);
  }
}

}  // namespace widehash::detail
