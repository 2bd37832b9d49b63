#pragma once

/// \file
/// The `threads` argument of calls that finish quickly.

#include <widehash/threads.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace widehash::python {

/// Runs `work` on `threads` threads; 0 for all that this process may use, within the quota of a container.
/// Unlike with_threads(), it may be called on several Python threads at once, and it costs nothing if no
/// number was asked for and there is no quota.
template <class Work>
void on_threads(std::size_t threads, Work&& work) {
  if (threads == 0 && current_threads() <= available_threads()) return work();
  const std::size_t count = threads == 0 ? available_threads() : std::min(threads, available_threads());
  with_share_of_threads(count, std::forward<Work>(work));
}

}  // namespace widehash::python
