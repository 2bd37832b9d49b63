#pragma once

/// \file
/// A JSON object with a list that may be longer than memory.

#include "output.hpp"
#include "report.hpp"

#include <string_view>

namespace widehash::tools {

/// One object on the standard output, as print_json() writes it, whose first key is the list. An error on the way
/// leaves the beginning of it there, as it does of lines.
class JsonListOutput {
 public:
  explicit JsonListOutput(std::string_view key);

  void add(const Json& item);
  /// The keys behind the list, one at least. Throws FileError where anything could not be written.
  void finish(const Json& others);

 private:
  TextOutput output_{"-"};
  bool is_empty_ = true;
};

}  // namespace widehash::tools
