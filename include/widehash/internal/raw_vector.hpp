#pragma once

/// \file
/// A vector whose resize() leaves new elements uninitialized, for buffers that are overwritten right away:
/// zeroing them first would cost as much as filling them.

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace widehash {

template <class T>
struct RawAllocator : std::allocator<T> {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  template <class U>
  struct rebind {
    using other = RawAllocator<U>;
  };
  template <class U>
  void construct(U*) noexcept {}
  template <class U, class... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }
};

/// Elements made by resize() must be written before they are read.
template <class T>
using RawVector = std::vector<T, RawAllocator<T>>;

}  // namespace widehash
