#pragma once

/// \file
/// The checksum of every file section: XXH3, 64 bits, seed 0. It finds accidents, not attackers.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace widehash {

/// XXH3-64 of `bytes`. Cost: one pass, about 30 GB/s.
std::uint64_t checksum(std::span<const std::byte> bytes) noexcept;

/// The same checksum over bytes that come in pieces.
class ChecksumStream {
 public:
  ChecksumStream();
  ~ChecksumStream();
  ChecksumStream(ChecksumStream&&) noexcept;
  ChecksumStream& operator=(ChecksumStream&&) noexcept;

  void add(std::span<const std::byte> bytes) noexcept;
  std::uint64_t value() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// `value` as 16 lower-case hexadecimal digits, the way manifests write it.
std::string to_hex(std::uint64_t value);
/// The number of such a text. Throws std::invalid_argument for any other text.
std::uint64_t from_hex(std::string_view text);

}  // namespace widehash
