#pragma once

/// \file
/// What the rows of a block hold in some fields, each distinct value once: rows are judged by them.

#include "ingest/rejected_rows.hpp"

#include <widehash/encoder.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace widehash {

/// So that a map of texts is asked without making one.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
};

/// Numbers values in the order in which they came first. The texts stay where they are.
class ValueNumbers {
 public:
  /// Of a value that was numbered.
  std::optional<std::uint32_t> find(std::string_view value) const {
    const auto found = numbers_.find(value);
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }
  std::uint32_t number_of(std::string_view value) {
    if (const auto known = find(value)) return *known;
    const auto number = static_cast<std::uint32_t>(values_.size());
    values_.push_back(numbers_.emplace(value, number).first->first);
    return number;
  }

  /// By number.
  std::span<const std::string_view> values() const noexcept { return values_; }
  std::uint64_t num_bytes() const noexcept;
  void clear() noexcept;

 private:
  std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> numbers_;
  std::vector<std::string_view> values_;  // keys of the map, which do not move
};

class RowValues {
 public:
  struct Field {
    ValueNumbers values;
    std::vector<std::uint32_t> of_row;  // numbers of values
  };

  void clear() noexcept;

  /// The rows of a tile that were cut into fields, whether they can be encoded or not. `fields`: the same in all calls
  /// since clear(). Rows is RowsView or PlacedRows.
  template <class Rows>
  void add(const Rows& rows, std::size_t num_rows, std::span<const std::size_t> fields) {
    fields_.resize(fields.size());
    for (std::size_t i = 0; i < fields.size(); ++i) {
      Field& field = fields_[i];
      for (std::size_t row = 0; row < num_rows; ++row)
        field.of_row.push_back(field.values.number_of(rows.value(row, fields[i])));
    }
  }

  /// Takes out the bad rows of the block, which are in order. A value may have no row then.
  void leave_out(std::span<const RejectedRow> rejected);
  /// The same of bad rows that all have fields.
  void leave_out(std::span<const EncodeIssue> bad_rows);

  /// One for each field, in the order of add(); none where no row was added.
  std::span<const Field> fields() const noexcept { return fields_; }
  std::uint64_t num_bytes() const noexcept;

 private:
  template <class BadRow, class HasFields>
  void leave_out(std::span<const BadRow> bad_rows, const HasFields& has_fields);

  std::vector<Field> fields_;
};

}  // namespace widehash
