#pragma once

/// \file
/// From codes of 16 bits, four a feature in schema order, as hashing gives them, to the rows of a code batch, where small
/// features have codes of 8 bits behind the others (code_layout.hpp).

#include <widehash/code_layout.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace widehash {

class CodePacker {
 public:
  /// Words that may be read behind the last row given to pack().
  static constexpr std::size_t slack_words = 8;

  explicit CodePacker(const CodeLayout& layout);

  /// Whether rows look otherwise than they are given; where not, pack() has nothing to do and is not to be called.
  bool packs() const noexcept { return !byte_steps_.empty(); }

  /// rows[row * code_stride ..] from codes[row * 4 F ..], F being the features that have codes. 0xFFFF becomes the absent
  /// mark of either size. Requires slack_words readable words behind the last code.
  void pack(const std::uint16_t* codes, std::size_t num_rows, std::uint16_t* rows) const noexcept;

  /// A feature with wide codes.
  struct WideStep {
    std::uint32_t from = 0;  // code of the row given
    std::uint32_t to = 0;    // word of the row made
  };
  /// Two neighbouring features, of which one has byte codes or both: which bytes of their codes come next.
  struct alignas(32) ByteStep {
    std::array<std::uint8_t, 16> bytes{};
    std::uint32_t from = 0;   // code of the row given
    std::uint32_t to = 0;     // byte code of the row made
    std::uint32_t count = 0;  // 4 or 8
  };

 private:
  std::vector<WideStep> wide_steps_;
  std::vector<ByteStep> byte_steps_;
  std::size_t codes_per_row_ = 0;
  std::size_t wide_codes_ = 0;
  std::size_t code_stride_ = 0;
};

}  // namespace widehash
