#pragma once

/// \file
/// The words of a command line, sorted into options and operands before CLI11 reads them: so that a mistyped
/// option is met with the right one, and so that operands are taken byte for byte.

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
/// Throws CLI::ExtrasError for an unknown option, with the nearest known one, and CLI::ArgumentMismatch where
/// the last option lacks its argument.
Arguments sort_arguments(const CLI::App& command, std::span<const std::string> words);

}  // namespace widehash::tools
