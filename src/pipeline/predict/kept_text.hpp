#pragma once

/// \file
/// Fields of the rows of a block that accompany their predictions, as they appear in the input.

#include "ingest/rejected_rows.hpp"

#include <widehash/cross.hpp>
#include <widehash/internal/escaped_text.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// Buffers of one thread, reused from block to block.
class KeptText {
 public:
  void clear() noexcept {
    text_.clear();
    ends_.clear();
  }

  /// Adds the rows of a tile, whether or not they can be encoded. Rows is RowsView or PlacedRows.
  template <class Rows>
  void add(const Rows& rows, std::size_t num_rows, std::span<const std::size_t> fields) {
    for (std::size_t row = 0; row < num_rows; ++row) {
      for (const std::size_t field : fields) {
        append_escaped(text_, rows.value(row, field));
        text_ += '\t';
      }
      ends_.push_back(text_.size());
    }
  }

  /// The same for groups of fields, such as the fields of a feature, joined as "a × b".
  template <class Rows>
  void add_groups(const Rows& rows, std::size_t num_rows,
                  std::span<const std::vector<std::size_t>* const> groups) {
    for (std::size_t row = 0; row < num_rows; ++row) {
      for (const std::vector<std::size_t>* group : groups) {
        for (std::size_t i = 0; i < group->size(); ++i) {
          if (i > 0) text_ += cross_between;
          append_escaped(text_, rows.value(row, (*group)[i]));
        }
        text_ += '\t';
      }
      ends_.push_back(text_.size());
    }
  }

  /// Returns one text for each of the `num_rows` rows of the block. Rows that were not cut into fields have empty
  /// fields. `rejected` lists the bad rows among them, in order. The texts are valid until the next add() or clear().
  std::vector<std::string_view> lines(std::uint64_t num_rows, std::span<const RejectedRow> rejected,
                                      std::size_t num_fields);

 private:
  std::string text_;
  std::vector<std::size_t> ends_;  // in text_, for each row that was added
  std::string empty_;              // the text of a row without fields
};

}  // namespace widehash
