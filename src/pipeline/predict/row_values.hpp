#pragma once

/// \file
/// What the rows of a block hold in some fields, with each distinct value stored once. Rows are judged by these values.

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

/// Lets a map of strings be searched by a string_view without making a string.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
};

/// Numbers values in the order in which they first occur. The texts never move.
class ValueNumbers {
 public:
  /// Returns the number of a value, if it has one.
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

  /// Indexed by number.
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
    std::vector<std::uint32_t> of_row;  // the number of each row's value
  };

  void clear() noexcept;

  /// Adds the rows of a tile that were cut into fields, whether or not they can be encoded. Requires the same
  /// `fields` in all calls since clear(). Rows is RowsView or PlacedRows.
  template <class Rows>
  void add(const Rows& rows, std::size_t num_rows, std::span<const std::size_t> fields) {
    fields_.resize(fields.size());
    for (std::size_t i = 0; i < fields.size(); ++i) {
      Field& field = fields_[i];
      for (std::size_t row = 0; row < num_rows; ++row)
        field.of_row.push_back(field.values.number_of(rows.value(row, fields[i])));
    }
  }

  /// Removes the bad rows of the block, which must be in order. A value may then have no row left.
  void leave_out(std::span<const RejectedRow> rejected);
  /// The same for bad rows that all have fields.
  void leave_out(std::span<const EncodeIssue> bad_rows);

  /// One for each field, in the order of add(); empty where no row was ever added.
  std::span<const Field> fields() const noexcept { return fields_; }
  std::uint64_t num_bytes() const noexcept;

 private:
  template <class BadRow, class HasFields>
  void leave_out(std::span<const BadRow> bad_rows, const HasFields& has_fields);

  std::vector<Field> fields_;
};

}  // namespace widehash
