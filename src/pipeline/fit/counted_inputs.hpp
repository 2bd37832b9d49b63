#pragma once

/// \file
/// The inputs that tables count, to tell which of others are among them. An input is known again by its place, its
/// size and a sample of its bytes; one that can be read only once never is.

#include "fit_record.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace widehash {

/// Where a file is, whatever it was called by: its path without links; "" for what is no file.
std::string place_of(const std::string& path);

class CountedInputs {
 public:
  /// Those of the tables in `folder`.
  void add(const std::vector<CountedInput>& inputs, const std::string& folder);

  /// The folder of the tables that count it; null where none do.
  const std::string* folder_of(const CountedInput& input) const;
  /// Whether what was at this place before, and had other bytes, is counted.
  bool had_other_bytes(const CountedInput& input) const;
  /// Whether one of the same bytes, and at least one, is counted by another place.
  bool is_copy(const CountedInput& input) const;

 private:
  struct Entry {
    CountedInput input;
    std::string folder;
  };
  template <class Is>
  const Entry* find(const CountedInput& input, const Is& is) const;

  std::unordered_map<std::string, std::vector<Entry>> by_path_;  // as it was given, and the place
  std::set<std::pair<std::uint64_t, std::uint64_t>> contents_;   // sizes and samples
};

}  // namespace widehash
