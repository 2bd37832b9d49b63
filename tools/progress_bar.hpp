#pragma once

/// \file
/// Progress on the standard error: rows, rate, share done and time left, on one line that is drawn over and
/// in the end erased. Nothing is drawn where the standard error is not a terminal.

#include <widehash/progress.hpp>

#include <chrono>
#include <string>

namespace widehash::tools {

class ProgressBar {
 public:
  /// `label` says what is being done: "transform".
  ProgressBar(std::string label, bool wanted);
  /// Erases the line, so that an error message does not run into it.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Draws into this bar, which must outlive the callback; empty where nothing would be drawn.
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
