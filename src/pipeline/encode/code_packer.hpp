#pragma once

/// \file
/// From codes of 16 bits, four a feature in schema order, as hashing gives them, to the rows of a code batch,
/// where small features have codes of 8 bits behind the others (code_layout.hpp).

#include <widehash/code_layout.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace widehash {

class CodePacker {
 public:
  /// Words that may be read behind the last row given to pack().
  static constexpr std::size_t slack_words = 32;

  explicit CodePacker(const CodeLayout& layout);

  /// Whether rows look otherwise than they are given; where not, pack() has nothing to do and is not to be
  /// called.
  bool packs() const noexcept { return packs_; }

  /// rows[row * code_stride ..] from codes[row * 4 F ..], F being the features that have codes. 0xFFFF
  /// becomes the absent mark of either size. Requires slack_words readable words behind the last code.
  void pack(const std::uint16_t* codes, std::size_t num_rows, std::uint16_t* rows) const noexcept;

  /// Brings together what a block of neighbouring codes has for one part of the row.
  struct Move {
    std::uint32_t from = 0;   // byte of the row given where the block begins
    std::uint32_t to = 0;     // byte of the row made
    std::uint32_t count = 0;  // bytes that belong there
  };
  /// What to do with a row, the part in front first: the bytes that a move stores beyond its own are those of
  /// the moves after it.
  struct Moves {
    std::size_t block_bytes = 0;  // as many as an instruction shuffles
    std::vector<Move> moves;
    std::vector<std::uint8_t> orders;  // block_bytes a move: which byte of the block comes first, second, ...
  };

 private:
  Moves in_16_bytes_;
  Moves in_64_bytes_;
  std::size_t codes_per_row_ = 0;
  std::size_t code_stride_ = 0;
  bool packs_ = false;
};

}  // namespace widehash
