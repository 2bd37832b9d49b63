#pragma once

/// \file
/// How many of a device's threads take the steps of a training. More are slower where the cores share no cache, where
/// other programs want them, or where steps are short; none of this is known beforehand, and on a virtual machine it
/// changes within seconds (docs/performance.md, "Two threads on two chiplets"). Since a step has the same result for
/// any number of threads, the number is found by trying: from time to time a few steps are taken with half as many or
/// twice as many, and whichever is faster goes on.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace widehash {

class StepThreads {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Starts with `most` threads, and keeps them unless it `tries` fewer.
  StepThreads(std::size_t most, bool tries) noexcept
      : most_(most), tries_(tries && most > 1), count_(most), next_(most), settled_(most) {}

  /// Threads for the steps from now on. To be called while no step is in flight, also before the first step and after
  /// a pause, which would look like a slow step.
  std::size_t begin() noexcept;
  /// Tells that a step over `rows` rows ended at `now`; 0 rows are ignored.
  void end_step(std::uint64_t rows, Time now) noexcept;
  /// Whether no further step should begin before the next begin(), which will give another number. May be asked on
  /// any thread.
  bool is_to_change() const noexcept { return is_to_change_.load(std::memory_order_relaxed); }
  /// Threads of a row on average so far; `most` before the first row.
  double mean() const noexcept;

 private:
  static constexpr std::size_t pieces_of_trial = 3;

  /// Decides what follows the piece that just ended.
  void decide() noexcept;
  void decide_trial() noexcept;
  double median_pace() const noexcept;
  /// The number of threads to try after `settled_`.
  std::size_t candidate() const noexcept;

  std::size_t most_;
  bool tries_;
  std::size_t count_;
  std::size_t next_;
  std::atomic<bool> is_to_change_ = false;

  std::size_t settled_;      // the best number so far
  double settled_pace_ = 0;  // and its seconds per row, measured just before a trial
  std::size_t hold_ = 0;     // pieces to take with `settled_` before the next trial
  bool goes_down_ = true;    // whether the next trial takes fewer threads

  // The steps since begin(), in pieces.
  std::optional<Time> last_end_;
  double piece_seconds_ = 0;
  std::uint64_t piece_rows_ = 0;
  std::size_t piece_steps_ = 0;
  std::size_t num_pieces_ = 0;
  std::array<double, pieces_of_trial> paces_{};  // seconds per row of the last pieces

  double rows_ = 0;
  double thread_rows_ = 0;
};

}  // namespace widehash
