#pragma once

/// \file
/// Loads the beginning of a short text as one word.

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace widehash::detail {

/// Memory is mapped in pages of at least 4 KiB, so a read that stays inside a page cannot fault, wherever the
/// object in it ends. The address and thread sanitizers check objects, not pages (the latter takes what
/// follows an object for freed memory); g++ and clang report in different ways that they are enabled.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool may_read_past_end = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool may_read_past_end = false;
#else
inline constexpr bool may_read_past_end = true;
#endif
#else
inline constexpr bool may_read_past_end = true;
#endif
inline constexpr std::uintptr_t page_bytes = 4096;

/// Returns the first eight bytes at `data`, low byte first; those past `length` are arbitrary.
inline std::uint64_t first_bytes(const char* data, std::size_t length) noexcept {
  // Copying byte by byte costs a mispredicted branch per value.
  std::uint64_t word = 0;
  asm("" : "+r"(data));  // the compiler must not reason about the object that ends within the word
  if (length >= sizeof word ||
      (may_read_past_end && length > 0 &&
       (reinterpret_cast<std::uintptr_t>(data) & (page_bytes - 1)) <= page_bytes - sizeof word)) {
    std::memcpy(&word, data, sizeof word);
  } else {
    for (std::size_t i = 0; i < length; ++i) {
      word |= static_cast<std::uint64_t>(static_cast<unsigned char>(data[i])) << (8 * i);
    }
  }
  return word;
}

}  // namespace widehash::detail
