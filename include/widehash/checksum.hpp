#pragma once

/// \file
/// The checksum of every file section: 64-bit XXH3 with seed 0. It detects accidental damage, not deliberate
/// changes.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace widehash {

/// XXH3-64 of `bytes`. Cost: one pass, about 30 GB/s.
std::uint64_t checksum(std::span<const std::byte> bytes) noexcept;

/// Computes the same checksum over bytes that arrive in pieces.
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

/// Returns `value` as 16 lower-case hexadecimal digits, as in manifests.
std::string to_hex(std::uint64_t value);
/// Parses the text that to_hex() writes. Throws std::invalid_argument for any other text.
std::uint64_t from_hex(std::string_view text);

}  // namespace widehash
