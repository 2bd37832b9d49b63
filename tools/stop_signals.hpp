#pragma once

/// \file
/// SIGINT and SIGTERM as a request to stop at the next sound point. Only commands that write install it; the
/// others have nothing to lose and die of the signal, as programs do.

#include <widehash/progress.hpp>
#include <widehash/stop.hpp>

#include <string>

namespace widehash::tools {

/// From here on the first SIGINT or SIGTERM sets the flag of the answer, and a second one ends the process at
/// once. A signal that the parent has set to be ignored stays so.
const StopFlag& stop_on_signals();

/// The signal that came; 0 where none did.
int stop_signal() noexcept;

/// Throws Stopped with `message` where a signal came: before a result is put in place that may lack the rows
/// of a program that the same signal ended.
void throw_if_stopped(const std::string& message);

/// `inner` (which may be empty), and an end by Stopped with `message` once the flag is set: for work that has
/// nothing to keep.
ProgressCallback stoppable(ProgressCallback inner, std::string message);

}  // namespace widehash::tools
