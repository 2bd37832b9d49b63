#pragma once

/// \file
/// Texts that mean "missing" (Schema::missing_values), as words to compare with the first eight bytes of a
/// value. Kernels that hash values in place treat values equal to one of them as empty.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace widehash {

/// A value of `length` bytes equals the text if its first eight bytes (those past its end are arbitrary) are
/// `word` under `mask`, and its further bytes, if it has any, equal those at `rest`.
struct MissingWord {
  std::uint64_t word = 0;
  std::uint64_t mask = 0;
  std::uint64_t length = 0;
  const char* rest = nullptr;
};

/// The words of several texts. Copies share the texts.
class MissingWords {
 public:
  MissingWords() = default;
  /// The empty text needs no word and is skipped.
  explicit MissingWords(std::span<const std::string> texts);

  std::span<const MissingWord> words() const noexcept { return words_; }

 private:
  std::shared_ptr<const std::vector<std::string>> texts_;
  std::vector<MissingWord> words_;
};

}  // namespace widehash
