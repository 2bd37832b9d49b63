#pragma once

/// \file
/// How long work is asked to stop at the next sound point. The library installs no signal handlers: a program
/// that wants Ctrl-C to end a run softly sets a flag of its own from one, and passes the flag in the options
/// of the work.

#include <atomic>

namespace widehash {

/// Set from any thread, also from a signal handler. Once set it stays set. The work then ends with Stopped.
using StopFlag = std::atomic<bool>;
static_assert(StopFlag::is_always_lock_free, "a signal handler may only set what needs no lock");

}  // namespace widehash
