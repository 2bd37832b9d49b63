#pragma once

/// \file
/// Short texts that mean "missing" (Schema::missing_values), as words that the first eight bytes of a value
/// are compared with: what kernels that hash values where they stand take for empty.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace widehash {

/// A value of `length` bytes equals the text where its first eight bytes, those past its end being anything,
/// are `word` under `mask`.
struct MissingWord {
  std::uint64_t word = 0;
  std::uint64_t mask = 0;
  std::uint64_t length = 0;
};

class MissingWords {
 public:
  MissingWords() = default;
  /// The empty text needs no word.
  explicit MissingWords(std::span<const std::string> texts);

  /// Whether all texts are words: none has more than eight bytes.
  bool are_all() const noexcept { return are_all_; }
  std::span<const MissingWord> words() const noexcept { return words_; }

 private:
  std::vector<MissingWord> words_;
  bool are_all_ = true;
};

}  // namespace widehash
