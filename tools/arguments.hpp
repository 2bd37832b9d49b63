#pragma once

/// \file
/// Sorts the words of a command line into options and operands before CLI11 reads them. This lets an error
/// about a mistyped option name the right one, and takes operands byte for byte.

#include <span>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace widehash::tools {

struct Arguments {
  std::vector<std::string> options;   // options followed by their arguments, in order
  std::vector<std::string> operands;  // everything else
};

/// Sorts `words` by the options of `command`. "--" ends the options; "-" and negative numbers are operands.
/// Throws CLI::ExtrasError for an unknown option, naming the nearest known one, and CLI::ArgumentMismatch if
/// an option lacks its argument, has one that it does not take, or is given twice with an argument and is no
/// list.
Arguments sort_arguments(const CLI::App& command, std::span<const std::string> words);

}  // namespace widehash::tools
