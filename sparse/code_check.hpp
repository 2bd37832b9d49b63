#pragma once

/// \file
/// Checks whether the codes of many rows are within their slots' ranges, a vector at a time.

#include <widehash/code_layout.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace widehash::detail {

/// What each word of a row may be: as one 16-bit code, and as two 8-bit codes. Words with codes of the other
/// size may be anything. Rows are repeated to whole periods, plus one vector, so that a load at any word of a
/// period finds the limits of the words that follow.
struct CodeLimits {
  struct Of {
    std::vector<std::uint16_t> highs;
    std::vector<std::uint16_t> marks;  // what a code may be besides 0 to its high
  };
  Of words;
  Of bytes;
  std::size_t period = 0;
  bool has_marks = false;
};

/// Checks the words of codes as they come, row after row, in pieces that may be cut between any two words.
/// Cost: one pass at the speed of memory, or less if the bytes are in the cache anyway; checking 104 codes
/// one by one took 110 ns a row.
class CodeCheck {
 public:
  explicit CodeCheck(const CodeLayout& layout);

  void add(std::span<const std::uint16_t> words) noexcept;
  /// Whether every code so far is below its slot's width, or is the absent mark if that is allowed.
  bool all_good() const noexcept { return good_; }

 private:
  CodeLimits limits_;
  std::size_t at_ = 0;  // place of the next word in its period
  bool good_ = true;
};

}  // namespace widehash::detail
