#include "profiler_range.hpp"

#include <widehash/activity.hpp>

#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace widehash {

const char* to_string(Activity activity) noexcept {
  switch (activity) {
    case Activity::read:
      return "read";
    case Activity::compute:
      return "compute";
    case Activity::communicate:
      return "communicate";
    case Activity::wait:
      break;
  }
  return "wait";
}

void ActivityClock::start(bool keep_spans) {
  end_range();
  current_ = Activity::read;
  range_ = detail::begin_profiler_range(to_string(current_));
  start_ = since_ = Clock::now();
  keep_spans_ = keep_spans;
  totals_.fill(0);
  spans_.clear();
  // Allocated now, because scopes may end while an exception passes, where nothing may throw.
  if (keep_spans) spans_.reserve(max_spans);
}

Activity ActivityClock::change(Activity next) noexcept {
  const Activity before = current_;
  const Clock::time_point now = Clock::now();
  totals_[static_cast<std::size_t>(before)] += std::chrono::duration<double>(now - since_).count();
  if (keep_spans_ && now != since_ && spans_.size() < max_spans) {
    const auto since_start = [&](Clock::time_point time) {
      return std::chrono::duration_cast<std::chrono::nanoseconds>(time - start_).count();
    };
    // Merges with the last span: returning to an activity that a short scope interrupted would otherwise
    // split it in two.
    if (!spans_.empty() && spans_.back().activity == before && spans_.back().end_ns == since_start(since_)) {
      spans_.back().end_ns = since_start(now);
    } else {
      spans_.push_back({before, since_start(since_), since_start(now)});
    }
  }
  since_ = now;
  if (next != before && range_) {
    end_range();
    range_ = detail::begin_profiler_range(to_string(next));
  }
  current_ = next;
  return before;
}

void ActivityClock::stop() {
  change(current_);
  end_range();
}

void ActivityClock::end_range() noexcept {
  if (const auto range = std::exchange(range_, std::nullopt)) detail::end_profiler_range(*range);
}

double ActivityClock::total_seconds() const noexcept {
  return std::accumulate(totals_.begin(), totals_.end(), 0.0);
}

std::int64_t ActivityClock::now_ns() const noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count();
}

namespace {

/// Writes the events of a trace one after another.
class TraceWriter {
 public:
  void name_track(std::size_t track, const std::string& name) {
    add(fmt::format(R"({{"ph":"M","pid":0,"tid":{},"name":"thread_name","args":{{"name":{}}}}})", track,
                    nlohmann::json(name).dump()));
  }
  /// `arguments` holds further keys of the event, each preceded by a comma.
  void add_span(std::size_t track, const char* name, std::int64_t begin_ns, std::int64_t end_ns,
                const std::string& arguments = "") {
    add(fmt::format(R"({{"ph":"X","pid":0,"tid":{},"name":"{}","ts":{:.3f},"dur":{:.3f}{}}})", track, name,
                    static_cast<double>(begin_ns) / 1000, static_cast<double>(end_ns - begin_ns) / 1000,
                    arguments));
  }
  std::string finish() && { return std::move(text_) + "\n]}\n"; }

 private:
  void add(const std::string& event) {
    text_ += separator_;
    text_ += event;
    separator_ = ",\n";
  }

  std::string text_ = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
  const char* separator_ = "\n";
};

}  // namespace

std::string trace_json(const std::vector<TraceTrack>& tracks) {
  TraceWriter writer;
  for (const TraceTrack& track : tracks) {
    const auto number = static_cast<std::size_t>(track.rank);
    writer.name_track(number, track.name);
    for (const ActivitySpan& span : track.spans)
      writer.add_span(number, to_string(span.activity), span.begin_ns, span.end_ns);
    if (track.collectives.empty()) continue;
    const std::size_t of_gpu = tracks.size() + number;
    writer.name_track(of_gpu, track.name + ", between GPUs");
    for (const CollectiveSpan& span : track.collectives) {
      writer.add_span(of_gpu, "collective", span.begin_ns, span.end_ns,
                      fmt::format(R"(,"args":{{"bytes_sent":{}}})", span.bytes_sent));
    }
  }
  return std::move(writer).finish();
}

}  // namespace widehash
