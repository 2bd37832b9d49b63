#pragma once

/// \file
/// How much of the label each field explains by itself, estimated from a sample of the rows. A field that explains
/// nearly all of it is more often a leak than a good feature.

#include "field_census.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace widehash {

/// A sample of rows at equal distances over the whole table, however many rows it turns out to have: when the sample
/// is full, every second row is dropped. The sample depends on the rows only, not on how they are divided into calls.
class LabelSample {
 public:
  /// Most cells over all fields, of 16 bytes each. At least two rows are kept.
  static constexpr std::size_t most_cells = std::size_t{1} << 20;

  explicit LabelSample(std::size_t num_fields, std::size_t max_cells = most_cells);

  /// Returns which of the next `count` rows belong to the sample, as positions among them. The caller adds the values
  /// of each. Valid until the next call.
  std::span<const std::size_t> choose(std::size_t count);
  /// The result of the last choose().
  std::span<const std::size_t> chosen() const noexcept { return chosen_; }

  /// Adds the value of the next chosen row. Several threads may add to different fields.
  void add(std::size_t field, std::string_view value);

  /// The share of the label's entropy that each field explains: 1 - H(label | value) / H(label), at least 0.
  /// Fields with many distinct numbers are grouped by quantiles, a label with many by deciles. The shares of
  /// labels per value are learned from one half of the sample and judged on the other, so a field that names
  /// the row explains nothing. Empty for the label itself, for fields to which not every chosen row was added,
  /// and for all fields if too few rows have a label other than the most frequent one.
  std::vector<std::optional<double>> explained(std::span<const FieldCensus* const> census,
                                               std::size_t label) const;

 private:
  struct Cell {
    std::uint64_t hash = 0;
    double number = 0;  // NaN where the value is not a number
  };
  using Groups = std::vector<std::uint32_t>;  // of each row

  static Groups kinds_of(const std::vector<Cell>& cells);
  static Groups quantiles_of(const std::vector<Cell>& cells, std::size_t count);
  static Groups labels_of(const FieldCensus& census, const std::vector<Cell>& cells);
  void halve();

  std::size_t max_rows_;
  std::uint64_t stride_ = 1;
  std::uint64_t rows_seen_ = 0;
  std::size_t num_rows_ = 0;  // of the sample
  std::vector<std::size_t> chosen_;
  std::vector<std::vector<Cell>> cells_;  // of each field
};

}  // namespace widehash
