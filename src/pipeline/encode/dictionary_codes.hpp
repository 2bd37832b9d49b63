#pragma once

/// \file
/// The codes of a feature whose field is a dictionary column: hashed once a value in place of once a row, and
/// copied to the rows.

#include <widehash/code_batch.hpp>
#include <widehash/encoder.hpp>
#include <widehash/schema.hpp>
#include <widehash/value_column.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace widehash {

/// Looks at the column, which must outlive it. Immutable, shared by threads.
class DictionaryCodes {
 public:
  /// Whether `feature` of the encoder's schema has codes that hang on the value of `column` alone, and the
  /// column fewer values than half of its rows.
  static bool pays(const Encoder& encoder, std::size_t feature, const ValueColumn& column);

  /// The encoder's schema without its features, which may be thousands: to be made once for all dictionaries.
  static Schema settings_of(const Encoder& encoder);
  /// Requires pays(encoder, feature, column), and settings_of(encoder). Cost: that of encoding the values of the
  /// dictionary.
  DictionaryCodes(const Encoder& encoder, std::size_t feature, const ValueColumn& column,
                  const Schema& settings);

  /// Sets the codes of the feature in the first rows of `tile`, row i of which is row begin + rows[i] of the
  /// column; `rows` ascend.
  void fill(std::size_t begin, std::span<const std::size_t> rows, CodeBatch& tile,
            std::vector<std::uint32_t>& indices) const;

 private:
  const ValueColumn& column_;
  std::size_t word_;                  // of a row, where the codes begin
  std::size_t words_;                 // that they take: 16 bits each
  std::vector<std::uint16_t> codes_;  // [dictionary values and the missing one x words_]
};

}  // namespace widehash
