#pragma once

/// \file
/// Fields of the rows of a block that go with their predictions, as they came.

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

/// Memory of one thread; used for block after block.
class KeptText {
 public:
  void clear() noexcept {
    text_.clear();
    ends_.clear();
  }

  /// The rows of a tile, whether they can be encoded or not. Rows is RowsView or PlacedRows.
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

  /// The same of fields that belong together, as those of a feature: "a × b".
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

  /// One text for each of `num_rows` rows of the block; rows that were not cut into fields have empty ones.
  /// `rejected`: the bad rows among them, in order. Good until the next add() or clear().
  std::vector<std::string_view> lines(std::uint64_t num_rows, std::span<const RejectedRow> rejected,
                                      std::size_t num_fields);

 private:
  std::string text_;
  std::vector<std::size_t> ends_;  // in text_, of each row that was added
  std::string empty_;              // of a row without fields
};

}  // namespace widehash
