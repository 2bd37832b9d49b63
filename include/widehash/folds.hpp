#pragma once

/// \file
/// Rows dealt to folds, so that runs over the same inputs share them out: nine folds of ten to train on, the
/// tenth to judge by.
///
///     fold = 1 + XXH64(bytes, fold_seed) mod count        1 .. count
///
/// of a row's bytes (its values as they are read, joined by tabs), or of those of one field, which
/// keeps all rows of a user together. So a row's fold depends on nothing else: not on the file it is in, nor on
/// the rows around it, nor on what the schema says of features. Rows that are equal are in the same fold.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// Another one than codes have by default: with theirs, the values of one fold would share buckets that those
/// of another never meet.
inline constexpr std::uint64_t fold_seed = 0x666F6C6473;  // "folds"

/// Folds [first, last], from 1 on.
struct FoldRange {
  std::uint32_t first = 1;
  std::uint32_t last = 1;

  bool operator==(const FoldRange&) const = default;
};

/// Which rows a run takes.
struct Folds {
  std::uint32_t count = 1;            // 1: all rows, and `taken` need not say so
  std::vector<FoldRange> taken = {};  // rising, and apart
  std::string by = {};                // the field whose value decides; "": the whole row

  bool take_all() const noexcept { return count == 1; }
  bool take(std::uint32_t fold) const noexcept;
  bool operator==(const Folds&) const = default;
};

/// The fold of these bytes. Requires count > 0.
std::uint32_t fold_of(std::string_view bytes, std::uint32_t count) noexcept;

/// Reads "10/10", "1-9/10" or "1-3,5-10/10"; "1/1" is Folds{}. Throws ConfigError with what is wrong.
Folds parse_folds(std::string_view text);
/// What parse_folds() reads; `by` is not told.
std::string to_text(const Folds& folds);
/// For messages: "all rows", "folds 1-9/10", "folds 1-9/10 by 'user'".
std::string rows_of(const Folds& folds);

/// Throws ConfigError where there are no folds, or those taken are not rising, apart and within `count`; where
/// a field is to decide and there is one fold.
void check_folds(const Folds& folds);

}  // namespace widehash
