#pragma once

/// \file
/// The four-split codes of crosses, of parts of times, and of features that have their own missing texts.
/// Their values are not in the rows in the form in which they are hashed, so they are made, hashed together,
/// and written between the codes of the other features.

#include "value_reader.hpp"

#include <widehash/code_batch.hpp>
#include <widehash/encoder.hpp>
#include <widehash/internal/bucket_reducer.hpp>
#include <widehash/internal/hash_lanes.hpp>
#include <widehash/internal/raw_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace widehash {

/// Per-thread memory, reused for every tile.
struct MadeScratch {
  struct Value {
    std::size_t lane = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  HashLanes lanes;
  std::vector<Value> values;
  std::string texts;  // of the values
  std::string value;
  RawVector<std::uint16_t> codes;
};

/// Covers all features of a layout that make their values and have codes. For XXH64. Immutable, shared by
/// threads.
class MadeCodes {
 public:
  MadeCodes(const Schema& schema, const CodeLayout& layout);

  bool empty() const noexcept { return made_.empty(); }
  /// Writes their codes among the codes of the rows listed in `sources`, which have four codes for each
  /// feature with codes, rows stored contiguously. Rows is RowsView or PlacedRows.
  template <class Rows>
  void encode(const Rows& rows, std::span<const std::size_t> sources, const FieldBinding& binding,
              MadeScratch& scratch, std::uint16_t* codes) const;

 private:
  struct MadeFeature {
    std::size_t feature = 0;
    std::size_t part = 0;       // among the features that have codes
    bool stands_in_row = true;  // and need not be copied: a missing text only becomes the empty value
    ValueReader reader;
  };

  /// Puts the value of the c-th made feature in a row into lane (row, c).
  template <class Rows>
  void set_lanes(const Rows& rows, std::span<const std::size_t> sources, const FieldBinding& binding,
                 MadeScratch& scratch) const;

  std::vector<MadeFeature> made_;
  std::size_t num_parts_ = 0;
  std::uint64_t seed_;
  BucketReducer reducer_;
};

}  // namespace widehash
