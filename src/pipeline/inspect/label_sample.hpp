#pragma once

/// \file
/// How much of the label each field explains by itself, in a sample of the rows: a field that explains nearly all of
/// it is more often a leak than a find.

#include "field_census.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace widehash {

/// Rows at equal distances over the whole table, however long it turns out to be: where they become too many, every
/// second one is dropped. So the same rows give the same sample, in whatever pieces they come.
class LabelSample {
 public:
  /// Cells of 16 bytes over all fields; but two rows at least.
  static constexpr std::size_t most_cells = std::size_t{1} << 21;

  explicit LabelSample(std::size_t num_fields, std::size_t max_cells = most_cells);

  /// Which of the next `count` rows belong to the sample, as positions among them. Each is to be added, of every field
  /// that is to be judged. Valid until the next call.
  std::span<const std::size_t> choose(std::size_t count);
  /// What choose() gave last.
  std::span<const std::size_t> chosen() const noexcept { return chosen_; }

  /// The value of the next chosen row. Fields may be added to by several threads, one each.
  void add(std::size_t field, std::string_view value);

  /// The share of the label's entropy that each field explains: 1 - H(label | value) / H(label), at least 0. Numbers
  /// of many values are taken by their quantiles, a label of many numbers by its deciles. What a value says of the
  /// label is learnt from one half of the sample and judged by the other, so that a name of the row explains nothing.
  /// Nothing for the label itself, for fields that were not added whole, and where rows with another label than most
  /// are too few to tell.
  std::vector<std::optional<double>> explained(std::span<const FieldCensus* const> census,
                                               std::size_t label) const;

 private:
  struct Cell {
    std::uint64_t hash = 0;
    double number = 0;  // NaN where the value is none
  };
  using Groups = std::vector<std::uint32_t>;  // of each row

  static Groups kinds_of(const std::vector<Cell>& cells);
  static Groups quantiles_of(const std::vector<Cell>& cells, std::size_t count);
  Groups labels_of(const FieldCensus& census, const std::vector<Cell>& cells) const;
  void halve();

  std::size_t max_rows_;
  std::uint64_t stride_ = 1;
  std::uint64_t rows_seen_ = 0;
  std::size_t num_rows_ = 0;  // of the sample
  std::vector<std::size_t> chosen_;
  std::vector<std::vector<Cell>> cells_;  // of each field
};

}  // namespace widehash
