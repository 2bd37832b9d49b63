#pragma once

/// \file
/// The inputs that tables count, to find out which other inputs are among them. An input is recognised by its
/// place, its size and a sample of its bytes; an input that can be read only once never is.

#include "fit_record.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace widehash {

/// The place of a file, whatever name it was given by: its path without links; "" where it is not a file.
std::string place_of(const std::string& path);

class CountedInputs {
 public:
  /// Adds the inputs of the tables in `folder`.
  void add(const std::vector<CountedInput>& inputs, const std::string& folder);

  /// The folder of the tables that count `input`; null where none do.
  const std::string* folder_of(const CountedInput& input) const;
  /// Whether an earlier version of `input`, at the same place but with other bytes, is counted.
  bool had_other_bytes(const CountedInput& input) const;
  /// Whether an input at another place with the same bytes is counted. False for an input without bytes.
  bool is_copy(const CountedInput& input) const;

 private:
  struct Entry {
    CountedInput input;
    std::string folder;
  };
  template <class Is>
  const Entry* find(const CountedInput& input, const Is& is) const;

  std::unordered_map<std::string, std::vector<Entry>> by_path_;  // keyed by path as given, and by place
  std::set<std::pair<std::uint64_t, std::uint64_t>> contents_;   // sizes and samples
};

}  // namespace widehash
