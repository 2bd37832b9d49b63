#pragma once

/// \file
/// Converts 16-bit codes, four per feature in schema order as hashing produces them, to the rows of a code
/// batch, in which small features have 8-bit codes placed after the 16-bit ones (code_layout.hpp).

#include <widehash/code_layout.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace widehash {

class CodePacker {
 public:
  /// Words that must be readable after the last row passed to pack().
  static constexpr std::size_t slack_words = 32;

  explicit CodePacker(const CodeLayout& layout);

  /// Whether rows have a different form from the codes passed in. If false, pack() has nothing to do and must
  /// not be called.
  bool packs() const noexcept { return packs_; }

  /// Writes rows[row * code_stride ..] from codes[row * 4 F ..], where F is the number of features with
  /// codes. 0xFFFF becomes the absent mark of the code's size. Requires slack_words readable words after the
  /// last code.
  void pack(const std::uint16_t* codes, std::size_t num_rows, std::uint16_t* rows) const noexcept;

  /// Gathers the bytes of a block of neighbouring codes that belong to one part of the row.
  struct Move {
    std::uint32_t from = 0;   // byte of the input row where the block begins
    std::uint32_t to = 0;     // byte of the output row
    std::uint32_t count = 0;  // bytes of the block that belong there
  };
  /// The moves of a row, from front to back: the bytes that a move stores beyond its own `count` are
  /// overwritten by later moves.
  struct Moves {
    std::size_t block_bytes = 0;  // bytes that one instruction shuffles
    std::vector<Move> moves;
    std::vector<std::uint8_t> orders;  // block_bytes per move: the bytes of the block in their new order
  };

 private:
  Moves in_16_bytes_;
  Moves in_64_bytes_;
  std::size_t codes_per_row_ = 0;
  std::size_t code_stride_ = 0;
  bool packs_ = false;
};

}  // namespace widehash
