#pragma once

/// \file
/// Ends work that reports progress and keeps nothing when it is asked to stop.

#include <widehash/error.hpp>
#include <widehash/progress.hpp>
#include <widehash/stop.hpp>

#include <string>
#include <utility>

namespace widehash {

/// Returns a callback that throws Stopped with `message` once `stop` asks, and otherwise calls `inner`. Both
/// `stop`, which must outlive the callback, and `inner` may be null.
inline ProgressCallback stoppable_progress(const StopFlag* stop, std::string message,
                                           ProgressCallback inner = {}) {
  return [stop, message = std::move(message), inner = std::move(inner)](const Progress& progress) {
    if (stop_is_asked(stop)) throw Stopped(message);
    if (inner) inner(progress);
  };
}

}  // namespace widehash
