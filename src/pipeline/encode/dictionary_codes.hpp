#pragma once

/// \file
/// The codes of a feature whose field is a dictionary column: each value is hashed once instead of once per
/// row, and its codes are copied to the rows.

#include <widehash/code_batch.hpp>
#include <widehash/encoder.hpp>
#include <widehash/schema.hpp>
#include <widehash/value_column.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace widehash {

/// Refers to the column, which must outlive it. Immutable, shared by threads.
class DictionaryCodes {
 public:
  /// Whether `feature` of the encoder's schema has codes that depend only on the value of `column`, and the
  /// column has fewer distinct values than half of its rows.
  static bool pays(const Encoder& encoder, std::size_t feature, const ValueColumn& column);

  /// The encoder's schema without its features, of which there may be thousands. Make it once for all
  /// dictionaries.
  static Schema settings_of(const Encoder& encoder);
  /// Requires pays(encoder, feature, column), and `settings` from settings_of(encoder). Cost: encoding the
  /// values of the dictionary.
  DictionaryCodes(const Encoder& encoder, std::size_t feature, const ValueColumn& column,
                  const Schema& settings);

  /// Sets the codes of the feature in the first rows of `tile`: row i of the tile is row begin + rows[i] of
  /// the column. `rows` must be ascending.
  void fill(std::size_t begin, std::span<const std::size_t> rows, CodeBatch& tile,
            std::vector<std::uint32_t>& indices) const;

 private:
  const ValueColumn& column_;
  std::size_t word_;                  // of a row, where the codes begin
  std::size_t words_;                 // that the codes take, of 16 bits each
  std::vector<std::uint16_t> codes_;  // [dictionary values and the missing value x words_]
};

}  // namespace widehash
