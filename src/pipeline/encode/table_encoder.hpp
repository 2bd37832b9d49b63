#pragma once

/// \file
/// A table in memory on its way to codes, whole or a run of rows at a time.

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

/// Looks at the encoder and at the table, which must outlive it.
class TableEncoder {
 public:
  /// `binding` is that of the table's columns. Encodes the values of dictionaries where that pays. Throws as
  /// TableTexts does.
  TableEncoder(const Encoder& encoder, const ColumnTable& table, const FieldBinding& binding);

  /// Appends those of rows [begin, begin + count) that can be encoded to `batch`, and the others to `issues`,
  /// by their place in the table. Rows are worked on side by side. Both stay as they were where it throws:
  /// ConfigError for a value that has no text.
  void encode(std::size_t begin, std::size_t count, CodeBatch& batch, std::vector<EncodeIssue>& issues) const;

 private:
  /// What became of a run of rows. Their fixed slots stand in the batch from `begin` on, without gaps.
  struct Share;
  bool take_dictionary(const ColumnTable& table, const FieldBinding& binding, std::size_t feature);
  void encode_share(std::size_t begin, std::size_t end, CodeBatch& batch, Share& share) const;

  const Encoder& encoder_;
  std::optional<Schema> settings_;  // of the encoder's schema, once a dictionary has asked for them
  std::vector<DictionaryCodes> dictionaries_;  // before the texts, which leave their columns out
  TableTexts texts_;
};

}  // namespace widehash
