#pragma once

/// \file
/// A vector for a large array that is accessed in short runs at scattered positions. It begins at a cache
/// line, so that a run of 64 bytes at a multiple of 64 occupies one line and not two. From 2 MiB on it asks
/// the operating system for huge pages, without which most of these accesses first look up their page in
/// memory. Measurements: docs/performance.md, "Touched columns of a hidden layer".

#include <cstddef>
#include <type_traits>
#include <vector>

namespace widehash {

namespace detail {

/// Throws std::bad_alloc.
void* allocate_aligned(std::size_t bytes);
/// `bytes` must be the number passed to allocate_aligned().
void free_aligned(void* memory, std::size_t bytes) noexcept;

}  // namespace detail

template <class T>
struct AlignedAllocator {
  using value_type = T;
  using is_always_equal = std::true_type;

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) { return static_cast<T*>(detail::allocate_aligned(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t count) noexcept { detail::free_aligned(memory, count * sizeof(T)); }
  bool operator==(const AlignedAllocator&) const noexcept { return true; }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace widehash
