#pragma once

/// \file
/// The only interface to oneTBB: the rest of the library says what may run in parallel and never names a
/// thread.

#include <cstddef>
#include <functional>
#include <memory>

namespace widehash {

/// The most threads that may be requested: more than any machine has processors. The limit keeps a mistyped number from
/// taking all threads of the system before it is reported.
inline constexpr std::size_t max_threads = 8192;

/// Hardware threads that this process may use: those of its CPU affinity, but no more than the CPU quota of
/// its container keeps busy.
std::size_t available_threads() noexcept;

/// Threads that parallel work started here may use: the limit of with_threads(), or all.
std::size_t current_threads() noexcept;

/// Runs `work` with at most `num_threads` threads (0: all) for all parallel work inside it, and no more than an
/// outer call allows. May be called on several threads at once; each gets the threads it asks for. Throws
/// ConfigError for more than max_threads, and DeviceError if the system does not provide that many. This is checked
/// here so that it cannot fail halfway through the work.
void with_threads(std::size_t num_threads, const std::function<void()>& work);

/// Runs `work` with `num_threads` threads (0 counts as 1) out of those that an outer with_threads() allows:
/// the share of one of several devices of a process. If called on several threads at once, each has its own
/// share.
void with_share_of_threads(std::size_t num_threads, const std::function<void()>& work);

/// Runs `work` so that a thread waiting inside it does not pick up tasks from outside it. For work that holds
/// a lock.
void run_isolated(const std::function<void()>& work);

/// Calls body(i) once for every i in [0, count), in any order and on any thread of the current limit. The
/// first exception is rethrown to the caller after the running calls have ended.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body);

/// The same for one share of work per thread. An index goes to the thread that had it last time, if that
/// thread is free, which then finds what it wrote in its core's caches.
void parallel_shares(std::size_t count, const std::function<void(std::size_t)>& body);

/// Calls body(i) for every i in [0, count) on at most `most_threads` threads of the current limit, which begin them in
/// ascending order: for long pieces of work of different lengths, the longest first. After an exception no further call
/// begins; the first one is rethrown after the running calls have ended.
void parallel_in_turn(std::size_t count, std::size_t most_threads,
                      const std::function<void(std::size_t)>& body);

/// A pipeline over items that keeps their order at both ends:
///
///     produce   one at a time, in order; null ends the pipeline
///     work      any number in parallel
///     commit    one at a time, in the order of produce
///
/// At most `max_in_flight` items (0 counts as 1) exist at once, which bounds memory. The first exception stops
/// the pipeline and is rethrown to the caller; items already being worked on may still finish, but nothing
/// after a failed item is committed.
void ordered_pipeline(std::size_t max_in_flight, const std::function<std::shared_ptr<void>()>& produce,
                      const std::function<void(void*)>& work, const std::function<void(void*)>& commit);

template <class Item>
void ordered_pipeline(std::size_t max_in_flight, const std::function<std::shared_ptr<Item>()>& produce,
                      const std::function<void(Item&)>& work, const std::function<void(Item&)>& commit) {
  ordered_pipeline(
      max_in_flight, [&]() -> std::shared_ptr<void> { return produce(); },
      [&](void* item) { work(*static_cast<Item*>(item)); },
      [&](void* item) { commit(*static_cast<Item*>(item)); });
}

}  // namespace widehash
