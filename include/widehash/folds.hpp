#pragma once

/// \file
/// Assigns rows to folds, so that runs over the same inputs can divide the rows: nine folds of ten to train
/// on, the tenth to judge by.
///
///     fold = 1 + XXH64(bytes, fold_seed) mod count        1 .. count
///
/// The bytes are those of the row (its values as they are read, joined by tabs), or those of one field, which
/// keeps all rows of a user together. So the fold of a row depends on nothing else: not on its file, nor on
/// the rows around it, nor on the features of the schema. Equal rows are in the same fold.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// Differs from the default seed of codes. With that seed, the values of one fold would share buckets that
/// the values of another fold never use.
inline constexpr std::uint64_t fold_seed = 0x666F6C6473;  // "folds"

/// Folds [first, last], counted from 1.
struct FoldRange {
  std::uint32_t first = 1;
  std::uint32_t last = 1;

  bool operator==(const FoldRange&) const = default;
};

/// The rows that a run takes.
struct Folds {
  std::uint32_t count = 1;            // 1: all rows; `taken` may then be empty
  std::vector<FoldRange> taken = {};  // ascending and disjoint
  std::string by = {};                // field whose value decides the fold; "": the whole row

  bool take_all() const noexcept { return count == 1; }
  bool take(std::uint32_t fold) const noexcept;
  bool operator==(const Folds&) const = default;
};

/// Returns the fold of these bytes. Requires count > 0.
std::uint32_t fold_of(std::string_view bytes, std::uint32_t count) noexcept;

/// Parses "10/10", "1-9/10" or "1-3,5-10/10"; "1/1" gives Folds{}. Throws ConfigError saying what is wrong.
Folds parse_folds(std::string_view text);
/// Returns text in the form that parse_folds() reads, without `by`.
std::string to_text(const Folds& folds);
/// For messages: "all rows", "folds 1-9/10", "folds 1-9/10 by 'user'".
std::string rows_of(const Folds& folds);

/// Throws ConfigError if no fold is taken, if the folds taken are not ascending, disjoint and within `count`,
/// if the name in `by` is not UTF-8, or if `by` is set although there is only one fold.
void check_folds(const Folds& folds);

}  // namespace widehash
