#pragma once

/// \file
/// Passes over whole gradients, by all threads.

#include "chunks.hpp"

#include <widehash/network.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>

namespace widehash::detail {

template <class Real>
void fill_zero(std::span<Real> values) {
  for_each_share(values.size(), [&](std::size_t begin, std::size_t end) {
    std::ranges::fill(values.subspan(begin, end - begin), Real{0});
  });
}

/// all_finite() of network.hpp.
template <class Real>
bool is_finite(std::span<const Real> values) {
  std::atomic<bool> finite{true};
  for_each_share(values.size(), [&](std::size_t begin, std::size_t end) {
    if (!all_finite(values.subspan(begin, end - begin))) finite.store(false, std::memory_order_relaxed);
  });
  return finite;
}

}  // namespace widehash::detail
