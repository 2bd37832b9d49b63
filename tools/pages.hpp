#pragma once

/// \file
/// One description of every command, derived from its options, and the texts generated from it: the help,
/// docs/commands.md, the man page and the shell completion. They therefore cannot disagree with the program
/// or with each other.

#include "program.hpp"

#include <string>
#include <vector>

namespace widehash::tools {

struct OptionEntry {
  std::string short_name;  // "-o"; may be empty
  std::vector<std::string> long_names;
  std::string placeholder;           // "N"; empty for a switch
  std::vector<std::string> choices;  // if it takes one of a few words
  std::string default_text;          // empty if no default is worth showing
  std::string help;
  bool required = false;

  /// "-o, --output DIR".
  std::string heading() const;
};

struct OperandEntry {
  std::string name;
  std::string help;
  bool required = false;
  bool repeated = false;

  /// "INPUT...", "[VALUE...]".
  std::string heading() const;
};

struct CommandPage {
  std::string name;
  std::string summary;
  std::vector<OperandEntry> operands;
  std::vector<OptionEntry> options;
  std::string examples;

  /// "widehash train DIR -o MODEL [options]".
  std::string usage() const;
};

CommandPage describe(const Command& command);
/// The commands that are not hidden, in order.
std::vector<CommandPage> describe(const Program& program);

/// The output of `widehash train --help`.
std::string help_text(const CommandPage& page);
/// The output of `widehash --help`.
std::string help_text(const Program& program);
/// The content of docs/commands.md.
std::string markdown_reference(const Program& program);
/// The man page, widehash.1.
std::string man_page(const Program& program);
std::string bash_completion(const Program& program);

/// Texts about the program as a whole, shared by the functions above.
extern const char* const program_summary;
extern const char* const program_example;
extern const char* const program_notes;
extern const char* const program_exit_codes;

}  // namespace widehash::tools
