#pragma once

/// \file
/// Whether the texts of a field are lists, with one character between their items.

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

  /// A value that is there.
  void add(std::string_view value);

  /// How the values are lists, of which `distinct` are distinct; nothing where they are not. Lists have varying numbers
  /// of items, which are far fewer than the lists that they make: a code of three parts is none.
  std::optional<Lists> lists(double distinct) const;

 private:
  // Commas and spaces stand in plain text too often.
  static constexpr std::string_view separators = "|;";
  static constexpr std::size_t most_told_apart = 8;

  struct Candidate {
    std::uint64_t lists = 0;  // values that hold the separator
    std::array<std::uint64_t, most_told_apart>
        of_length{};                   // those of 1, 2, ... items; the last: of as many or more
    std::optional<HyperLogLog> items;  // since the first list
  };

  std::uint64_t values_ = 0;
  std::array<Candidate, separators.size()> candidates_{};
};

}  // namespace widehash
