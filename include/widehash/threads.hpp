#pragma once

/// \file
/// The one door to oneTBB: the rest of the library says what may run side by side and never names a thread.

#include <cstddef>
#include <functional>
#include <memory>

namespace widehash {

/// Hardware threads this process may use: those of its affinity, and no more than the quota of its container
/// keeps busy.
std::size_t available_threads() noexcept;

/// Threads that parallel work started here may use: the limit of with_threads(), or all.
std::size_t current_threads() noexcept;

/// Runs `work` with at most `num_threads` threads (0: all) for everything parallel inside it. May be called
/// on several threads at once: each has the threads it asks for. Throws ConfigError for more than
/// 8,192, and DeviceError where the system does not give so many, which is found out here so that it is not found
/// out on the way.
void with_threads(std::size_t num_threads, const std::function<void()>& work);

/// Runs `work` with `num_threads` threads (0 counts as 1) of those that an outer with_threads() allows: what
/// one of several devices of a process is given. Called on several threads at once, each has what it was
/// given.
void with_share_of_threads(std::size_t num_threads, const std::function<void()>& work);

/// Runs `work` so that a thread that waits inside it takes up nothing from outside it. For work that holds a
/// lock.
void run_isolated(const std::function<void()>& work);

/// Calls body(i) once for every i in [0, count), in any order and on any thread of the current limit. The
/// first exception is thrown to the caller after the running calls have ended.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body);

/// The same for a share of work a thread: an index goes to the thread that had it the last time, where that
/// thread is free, and finds in its core's caches what it wrote then.
void parallel_shares(std::size_t count, const std::function<void(std::size_t)>& body);

/// A pipeline over items that keeps their order at both ends:
///
///     produce   one at a time, in order; null ends the pipeline
///     work      any number side by side
///     commit    one at a time, in the order of produce
///
/// At most `max_in_flight` items (1 or more) exist at once, which bounds memory. The first exception stops
/// the pipeline and is thrown to the caller; items already in work may still finish, but nothing after a
/// failed item is committed.
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
