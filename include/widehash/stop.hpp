#pragma once

/// \file
/// How long-running work is asked to stop at the next safe point. The library installs no signal handlers: a
/// program that wants Ctrl-C to end a run gracefully sets its own flag in a handler and passes the flag in
/// the options of the work.

#include <atomic>

namespace widehash {

/// May be set from any thread or signal handler, and stays set. The work then ends with Stopped.
using StopFlag = std::atomic<bool>;
static_assert(StopFlag::is_always_lock_free, "a signal handler may only set what needs no lock");

/// `stop` may be null, which never asks.
inline bool stop_is_asked(const StopFlag* stop) noexcept { return stop != nullptr && *stop; }

}  // namespace widehash
