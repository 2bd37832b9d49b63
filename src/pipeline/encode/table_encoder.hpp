#pragma once

/// \file
/// Encodes a table in memory to codes, whole or a run of rows at a time.

#include "dictionary_codes.hpp"
#include "table_texts.hpp"

#include <widehash/code_batch.hpp>
#include <widehash/column_table.hpp>
#include <widehash/encoder.hpp>
#include <widehash/schema.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace widehash {

/// Refers to the encoder and to the table, which must outlive it.
class TableEncoder {
 public:
  /// `binding` binds the table's columns. Encodes the values of dictionaries once where that pays. Throws as
  /// TableTexts does.
  TableEncoder(const Encoder& encoder, const ColumnTable& table, const FieldBinding& binding);

  /// Encodes rows [begin, begin + count) in parallel. Appends those that can be encoded to `batch` and the
  /// others to `issues`, by their position in the table. Throws ConfigError for a value that has no text;
  /// both are then unchanged.
  void encode(std::size_t begin, std::size_t count, CodeBatch& batch, std::vector<EncodeIssue>& issues) const;

 private:
  /// The result of a run of rows. Their fixed slots are in the batch from `begin` on, without gaps.
  struct Share;
  bool take_dictionary(const ColumnTable& table, const FieldBinding& binding, std::size_t feature);
  void encode_share(std::size_t begin, std::size_t end, CodeBatch& batch, Share& share) const;

  const Encoder& encoder_;
  std::optional<Schema> settings_;             // of the encoder's schema; set once a dictionary needs them
  std::vector<DictionaryCodes> dictionaries_;  // declared before texts_, which leaves their columns out
  TableTexts texts_;
};

}  // namespace widehash
