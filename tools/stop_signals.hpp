#pragma once

/// \file
/// Treats SIGINT and SIGTERM as a request to stop at the next safe point. Only commands that write install
/// the handlers; the others have nothing to lose and are ended by the signal, as programs usually are.

#include <widehash/progress.hpp>
#include <widehash/stop.hpp>

#include <string>

namespace widehash::tools {

/// From this call on, the first SIGINT or SIGTERM sets the returned flag, and a second one ends the process
/// at once. A signal that the parent process has set to be ignored stays ignored.
const StopFlag& stop_on_signals();

/// Returns the signal that was received; 0 if none was.
int stop_signal() noexcept;

/// Returns a callback that throws Stopped with `message` once the flag is set, and otherwise calls `inner`,
/// which may be empty. For work that has nothing to keep. Calls stop_on_signals().
ProgressCallback stoppable(ProgressCallback inner, std::string message);

}  // namespace widehash::tools
