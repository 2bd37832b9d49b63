#pragma once

/// \file
/// Where a device spends its time: totals per activity and, if a trace is requested, the individual spans.
/// NVIDIA's profilers see the activities as ranges.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace widehash {

enum class Activity : std::uint8_t {
  read,         ///< gathering rows, or waiting for them
  compute,      ///< forward pass, backward pass, update
  communicate,  ///< moving numbers and adding them up
  wait          ///< waiting for a device that has not reached the collective yet
};
inline constexpr std::size_t num_activities = 4;
const char* to_string(Activity activity) noexcept;

/// A stretch of time of one device, in nanoseconds since its clock was started.
struct ActivitySpan {
  Activity activity = Activity::read;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

/// A collective between GPUs, timed by the clock of one of them, in nanoseconds since the clock of its rank
/// was started.
struct CollectiveSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t bytes_sent = 0;
};

/// One device's clock. It is always in exactly one activity, so the times of all activities add up to the
/// time since start(). Not thread-safe.
class ActivityClock {
 public:
  /// Resets the clock and starts it in Activity::read. `keep_spans`: record individual spans as well.
  void start(bool keep_spans);
  /// Ends the current activity, starts `next` and returns the activity that ended.
  Activity change(Activity next) noexcept;
  /// Ends the current span, so that totals and spans are complete up to now.
  void stop();

  double seconds(Activity activity) const noexcept { return totals_[static_cast<std::size_t>(activity)]; }
  double total_seconds() const noexcept;
  std::chrono::steady_clock::time_point start_time() const noexcept { return start_; }
  /// Nanoseconds since start().
  std::int64_t now_ns() const noexcept;

  bool keeps_spans() const noexcept { return keep_spans_; }
  /// The first `max_spans` spans, or fewer.
  const std::vector<ActivitySpan>& spans() const noexcept { return spans_; }

  /// Trace viewers cannot open a trace with more spans than this.
  static constexpr std::size_t max_spans = 200'000;

 private:
  using Clock = std::chrono::steady_clock;
  void end_range() noexcept;

  Activity current_ = Activity::read;
  Clock::time_point start_ = Clock::now();
  Clock::time_point since_ = start_;
  bool keep_spans_ = false;
  std::array<double, num_activities> totals_{};
  std::vector<ActivitySpan> spans_;
  std::optional<std::uint64_t> range_;  // the profiler's, of the current activity
};

/// Switches a clock to an activity for the length of a scope, then back to the previous one.
class ActivityScope {
 public:
  ActivityScope(ActivityClock& clock, Activity activity) noexcept
      : clock_(clock), before_(clock.change(activity)) {}
  ~ActivityScope() { clock_.change(before_); }
  ActivityScope(const ActivityScope&) = delete;
  ActivityScope& operator=(const ActivityScope&) = delete;

 private:
  ActivityClock& clock_;
  Activity before_;
};

/// One device of a trace.
struct TraceTrack {
  int rank = 0;
  std::string name;  // "rank 0, cpu"
  std::vector<ActivitySpan> spans;
  std::vector<CollectiveSpan> collectives{};
};

/// Returns JSON for chrome://tracing and ui.perfetto.dev. Each device has one track, and a second one for its
/// collectives if it has any. Each span is a complete event ("ph": "X"), in microseconds.
std::string trace_json(const std::vector<TraceTrack>& tracks);

}  // namespace widehash
