#pragma once

/// \file
/// Texts that mean "missing" (Schema::missing_values), as words that the first eight bytes of a value are
/// compared with: what kernels that hash values where they stand take for empty.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace widehash {

/// A value of `length` bytes equals the text where its first eight bytes, those past its end being anything,
/// are `word` under `mask`, and those behind them, if it has more, the ones at `rest`.
struct MissingWord {
  std::uint64_t word = 0;
  std::uint64_t mask = 0;
  std::uint64_t length = 0;
  const char* rest = nullptr;
};

/// Copies share the texts.
class MissingWords {
 public:
  MissingWords() = default;
  /// The empty text needs no word.
  explicit MissingWords(std::span<const std::string> texts);

  std::span<const MissingWord> words() const noexcept { return words_; }

 private:
  std::shared_ptr<const std::vector<std::string>> texts_;
  std::vector<MissingWord> words_;
};

}  // namespace widehash
