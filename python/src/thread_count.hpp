#pragma once

/// \file
/// The `threads` of calls that are over soon.

#include <widehash/threads.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace widehash::python {

/// Runs `work` with so many threads, 0 for all that this process may use: a container's quota counts. Unlike
/// with_threads() it may be called on several threads of Python at once, and costs nothing where nobody asked
/// for a number and there is no quota.
template <class Work>
void on_threads(std::size_t threads, Work&& work) {
  if (threads == 0 && current_threads() <= available_threads()) return work();
  const std::size_t count = threads == 0 ? available_threads() : std::min(threads, available_threads());
  with_share_of_threads(count, std::forward<Work>(work));
}

}  // namespace widehash::python
