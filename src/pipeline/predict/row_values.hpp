#pragma once

/// \file
/// What the rows of a block hold in some fields, with each distinct value stored once. Rows are judged by these values.

#include "ingest/rejected_rows.hpp"

#include <widehash/code.hpp>
#include <widehash/encoder.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// Numbers values in the order in which they first occur. The texts never move. There is no allocation per value,
/// and clear() keeps the memory.
class ValueNumbers {
 public:
  /// Returns the number of a value, if it has one.
  std::optional<std::uint32_t> find(std::string_view value) const {
    const std::uint32_t known = slots_[place_of(value, hash_of(value))];
    return known == 0 ? std::nullopt : std::optional(known - 1);
  }
  std::uint32_t number_of(std::string_view value) {
    const std::uint64_t hash = hash_of(value);
    const std::size_t place = place_of(value, hash);
    return slots_[place] != 0 ? slots_[place] - 1 : add(value, hash, place);
  }

  /// Indexed by number.
  std::span<const std::string_view> values() const noexcept { return values_; }
  std::uint64_t num_bytes() const noexcept;
  void clear() noexcept;

 private:
  static std::uint64_t hash_of(std::string_view value) noexcept { return hash_xxh64(value); }
  /// The slot that holds the value, or the free one where it belongs.
  std::size_t place_of(std::string_view value, std::uint64_t hash) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    std::size_t place = hash & mask;
    for (; slots_[place] != 0; place = (place + 1) & mask) {
      const std::uint32_t number = slots_[place] - 1;
      if (hashes_[number] == hash && values_[number] == value) break;
    }
    return place;
  }
  std::uint32_t add(std::string_view value, std::uint64_t hash, std::size_t place);
  char* room(std::size_t bytes);

  static constexpr std::size_t least_slots = 64;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(least_slots, 0);  // 1 + number; 0: free
  std::vector<std::uint64_t> hashes_;                                              // by number
  std::vector<std::string_view> values_;                                           // by number, into chunks_
  std::vector<std::unique_ptr<char[]>> chunks_;  // of chunk_bytes; longer values have chunks of their own
  std::vector<std::unique_ptr<char[]>> long_texts_;
  std::size_t used_chunks_ = 0;
  std::size_t left_ = 0;  // bytes in the last used chunk
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
