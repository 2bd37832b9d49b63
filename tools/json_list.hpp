#pragma once

/// \file
/// A JSON object with a list that may not fit in memory.

#include "output.hpp"
#include "report.hpp"

#include <string_view>

namespace widehash::tools {

/// Writes one object to standard output, in the format of print_json(), with the list as its first key. An
/// error on the way leaves the part already written, as it does with lines.
class JsonListOutput {
 public:
  explicit JsonListOutput(std::string_view key);

  void add(const Json& item);
  /// Writes the keys after the list, at least one. Throws FileError if anything could not be written.
  void finish(const Json& others);

 private:
  TextOutput output_{"-"};
  bool is_empty_ = true;
};

}  // namespace widehash::tools
