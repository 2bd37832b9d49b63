#pragma once

/// \file
/// Progress on standard error: rows, rate, share done and time left, on one line that is redrawn and erased
/// at the end. Draws nothing if standard error is not a terminal, or is a dumb one.

#include <widehash/progress.hpp>

#include <chrono>
#include <string>

namespace widehash::tools {

class ProgressBar {
 public:
  /// `label` names the work, for example "transform".
  ProgressBar(std::string label, bool wanted);
  /// Erases the line, so that an error message does not run into it.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Returns a callback that draws into this bar, which must outlive it; an empty one if nothing would be
  /// drawn.
  ProgressCallback callback();
  void erase() noexcept;

 private:
  using Clock = std::chrono::steady_clock;
  void draw(const Progress& progress);

  std::string label_;
  bool enabled_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_draw_{};
};

}  // namespace widehash::tools
