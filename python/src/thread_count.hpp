#pragma once

/// \file
/// The `threads` of calls that are over soon.

#include <widehash/threads.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace widehash::python {

/// Runs `work` with so many threads, 0 for all. Unlike with_threads() it may be called on several threads of
/// Python at once, and costs nothing where nobody asked for a number.
template <class Work>
void on_threads(std::size_t threads, Work&& work) {
  if (threads == 0) return work();
  with_share_of_threads(std::min(threads, available_threads()), std::forward<Work>(work));
}

}  // namespace widehash::python
