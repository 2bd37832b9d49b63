#include "collective_times.hpp"

namespace widehash::detail {
namespace {

double nanoseconds_between(const cuda::Event& begin, const cuda::Event& end) {
  float milliseconds = 0;
  cuda::check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "cudaEventElapsedTime");
  return 1e6 * double{milliseconds};
}

}  // namespace

void CollectiveTimes::begin(const ActivityClock& clock, const cuda::Stream& stream) {
  if (clock_start_ != clock.start_time()) {
    clock_start_ = clock.start_time();
    collectives_.clear();
  }
  is_measuring_ = clock.keeps_spans() && collectives_.size() < most;
  if (!is_measuring_) return;
  if (collectives_.empty()) {
    stream.synchronize();
    stream.record(zero_);
    zero_.wait();
    zero_ns_ = clock.now_ns();
  }
  collectives_.emplace_back();
  stream.record(collectives_.back().begin);
}

void CollectiveTimes::end(const cuda::Stream& stream, std::uint64_t bytes_sent) {
  if (!is_measuring_) return;
  collectives_.back().bytes_sent = bytes_sent;
  stream.record(collectives_.back().end);
}

std::vector<CollectiveSpan> CollectiveTimes::spans() const {
  std::vector<CollectiveSpan> spans;
  const cuda::Event* before = &zero_;
  auto at = static_cast<double>(zero_ns_);
  for (const Collective& collective : collectives_) {
    collective.end.wait();
    // Adds up the times from one collective to the next: a float of milliseconds since the beginning would
    // lose the microseconds.
    at += nanoseconds_between(*before, collective.begin);
    before = &collective.begin;
    const auto begin = static_cast<std::int64_t>(at);
    const auto length = static_cast<std::int64_t>(nanoseconds_between(collective.begin, collective.end));
    spans.push_back({begin, begin + length, collective.bytes_sent});
  }
  return spans;
}

}  // namespace widehash::detail
