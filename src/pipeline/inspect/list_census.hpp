#pragma once

/// \file
/// Finds out whether the texts of a field are lists with one character between their items.

#include <widehash/cardinality.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace widehash {

class ListCensus {
 public:
  struct Lists {
    char separator = '\0';
    double distinct_items = 0;  // an estimate
  };

  /// Adds a value that is not missing.
  void add(std::string_view value);

  /// How the values, `distinct` of them distinct, are lists; nothing where they are not. Lists have varying
  /// numbers of items, and far fewer distinct items than there are distinct lists: a code of three parts is
  /// not a list.
  std::optional<Lists> lists(double distinct) const;

 private:
  // Commas and spaces are too frequent in plain text.
  static constexpr std::string_view separators = "|;";
  static constexpr std::size_t most_lengths = 8;

  struct Candidate {
    std::uint64_t lists = 0;  // values that contain the separator
    std::array<std::uint64_t, most_lengths>
        of_length{};                   // values of 1, 2, ... items; the last: of that many or more
    std::optional<HyperLogLog> items;  // set at the first list
  };

  std::uint64_t values_ = 0;
  std::array<Candidate, separators.size()> candidates_{};
};

}  // namespace widehash
