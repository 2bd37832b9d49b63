#pragma once

/// \file
/// XXH64 of many short values at once, bit for bit that of hash_xxh64(). A table's values are mostly shorter
/// than 32 bytes, where the hash is a short chain of multiplications: eight chains run side by side in one
/// vector. Longer values are hashed one by one, at the library's own speed.
///
///     HashLanes lanes;
///     lanes.reshape(num_rows, values_per_row);
///     lanes.set(lanes.at(row, j), value);      // for every row and j
///     lanes.hash_xxh64(seed);
///     lanes.hashes()[lanes.at(row, j)]
///
/// Rows begin at multiples of the group's size, so that the same features always share a vector and the
/// branches on length, taken once a vector, stay predictable.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

namespace detail {

/// The first eight bytes from `data` on, low byte first; those past `length` are anything.
inline std::uint64_t first_bytes(const char* data, std::size_t length) noexcept {
#ifdef __SANITIZE_ADDRESS__
  constexpr bool may_read_past_end = false;
#else
  constexpr bool may_read_past_end = true;
#endif
  // Memory is mapped by pages of at least 4 KiB: a read that stays inside one cannot fault. A copy byte by byte
  // costs a mispredicted branch a value.
  constexpr std::uintptr_t page_bytes = 4096;
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

}  // namespace detail

class HashLanes {
 public:
  /// Lanes of a group: values per row are rounded up to a multiple of it.
  static constexpr std::size_t group = 8;

  /// Makes room for rows of values; those not set are empty. Memory: 32 bytes a lane, kept for reuse.
  void reshape(std::size_t num_rows, std::size_t values_per_row);

  std::size_t num_lanes() const noexcept { return num_lanes_; }
  std::size_t stride() const noexcept { return stride_; }
  std::size_t at(std::size_t row, std::size_t value) const noexcept { return row * stride_ + value; }

  /// `value` must stay alive until it is hashed.
  void set(std::size_t at, std::string_view value) noexcept {
    words_[at] = detail::first_bytes(value.data(), value.size());
    lengths_[at] = value.size();
    texts_[at] = value.data();
  }
  /// Makes empty what equals `text`: the way of a missing value.
  void blank(std::string_view text) noexcept;
  bool is_empty(std::size_t at) const noexcept { return lengths_[at] == 0; }

  /// Hashes every lane. Cost on a current CPU: 4 to 10 cycles a value shorter than 32 bytes.
  void hash_xxh64(std::uint64_t seed) noexcept;
  std::span<const std::uint64_t> hashes() const noexcept { return {hashes_.data(), num_lanes_}; }

 private:
  std::size_t num_lanes_ = 0;
  std::size_t stride_ = 0;
  std::vector<std::uint64_t> words_;    // the first bytes of each value
  std::vector<std::uint64_t> lengths_;  // bytes of each value
  std::vector<const char*> texts_;
  std::vector<std::uint64_t> hashes_;
};

}  // namespace widehash
