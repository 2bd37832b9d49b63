#pragma once

/// \file
/// What a device's time goes to, added up and, where a trace is wanted, span by span. NVIDIA's profilers see
/// it too.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace widehash {

enum class Activity : std::uint8_t {
  read,         ///< rows are gathered, or waited for
  compute,      ///< forward, backward, update
  communicate,  ///< numbers are moved and added up
  wait          ///< for a device that has not come to the collective yet
};
inline constexpr std::size_t num_activities = 4;
const char* to_string(Activity activity) noexcept;

/// A stretch of time of one device, in nanoseconds since the clock's start.
struct ActivitySpan {
  Activity activity = Activity::read;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

/// A collective between GPUs, by the clock of one of them, in nanoseconds since the start of its rank's
/// clock.
struct CollectiveSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t bytes_sent = 0;
};

/// One device's clock. Always in exactly one activity, so the shares add up to the time since start(). One
/// thread at a time.
class ActivityClock {
 public:
  /// Forgets everything, and begins in `read`.
  void start(bool keep_spans);
  /// Ends the current activity; returns which it was.
  Activity change(Activity next) noexcept;
  /// Ends the current span, so that totals and spans are complete up to now.
  void stop();

  double seconds(Activity activity) const noexcept { return totals_[static_cast<std::size_t>(activity)]; }
  double total_seconds() const noexcept;
  std::chrono::steady_clock::time_point start_time() const noexcept { return start_; }
  /// Nanoseconds since start().
  std::int64_t now_ns() const noexcept;

  bool keeps_spans() const noexcept { return keep_spans_; }
  /// At most `max_spans`, the earliest.
  const std::vector<ActivitySpan>& spans() const noexcept { return spans_; }

  /// A trace of more spans is no longer opened by the viewers.
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
  std::optional<std::uint64_t> range_;  // of a profiler, from start() to stop()
};

/// An activity for the length of a scope.
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

/// One device in a trace.
struct TraceTrack {
  int rank = 0;
  std::string name;  // "rank 0, cpu"
  std::vector<ActivitySpan> spans;
  std::vector<CollectiveSpan> collectives{};
};

/// JSON for chrome://tracing and ui.perfetto.dev: a track a device, and one for its collectives where there
/// are any; a complete event ("ph": "X") a span, in microseconds.
std::string trace_json(const std::vector<TraceTrack>& tracks);

}  // namespace widehash
