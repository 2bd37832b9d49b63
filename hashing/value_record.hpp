#pragma once

/// \file
/// One counted value on its way to a lookup table. Its bytes are in memory or, if there are many, still in a
/// run on disk. They are then processed in pieces, so that memory does not depend on the longest value.

#include <widehash/internal/temp_file.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace widehash::detail {

/// The first key by which tables and runs are ordered; the second is the bytes.
struct ValueHash {
  std::uint64_t high = 0;  // XXH64, or the high half of XXH3-128
  std::uint64_t low = 0;   // 0 with XXH64
  // clang-tidy 14 mistakes the 0 that a defaulted comparison is compared with for a null pointer.
  // NOLINTNEXTLINE(modernize-use-nullptr)
  friend auto operator<=>(const ValueHash&, const ValueHash&) = default;
};

struct ValueRecord {
  ValueHash hash;
  std::uint64_t count = 0;
  std::uint32_t length = 0;
  const char* bytes = nullptr;     // null: on disk
  const TempFile* file = nullptr;  // if on disk: in this file, from `offset` on
  std::uint64_t offset = 0;

  /// Returns the bytes from `begin` on, as many as are in memory or fit `scratch`. Empty at the end.
  std::string_view piece(std::uint32_t begin, std::span<std::byte> scratch) const {
    if (bytes != nullptr) return {bytes + begin, length - begin};
    const auto size = std::min<std::size_t>(length - begin, scratch.size());
    file->read(offset + begin, scratch.first(size));
    return {reinterpret_cast<const char*>(scratch.data()), size};
  }

  /// Calls consume(string_view) for all bytes in order.
  template <class Consume>
  void for_each_piece(std::span<std::byte> scratch, const Consume& consume) const {
    for (std::uint32_t begin = 0; begin < length;) {
      const std::string_view part = piece(begin, scratch);
      consume(part);
      begin += static_cast<std::uint32_t>(part.size());
    }
  }
};

}  // namespace widehash::detail
