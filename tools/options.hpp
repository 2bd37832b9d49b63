#pragma once

/// \file
/// The kinds of options a command can have. Each kind checks its text, with an error message that says what
/// would be right, and describes its argument to the help, the reference and the shell completion.
///
/// Every function stores into `target` while the command line is parsed, so `target` must outlive the
/// parsing. Its initial value is the default shown in the help. Wrong text throws CLI::ValidationError.

#include <widehash/folds.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// CLI11 takes seconds to compile, so only what reads the command line includes it.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace widehash {
struct TextForm;
}  // namespace widehash

namespace widehash::tools {

/// Handle to a declared option. Valid as long as its command lives.
class Option {
 public:
  explicit Option(CLI::Option* option) noexcept : option_(option) {}

  Option required();
  /// Hides the default in the help, for a `target` whose initial value means nothing to users.
  Option without_default();
  /// Whether the command line had the option. Call it only after parsing.
  bool was_given() const;
  /// Returns "--output" for "-o,--output".
  std::string name() const;

 private:
  CLI::Option* option_;
};

/// Prefixed to every operand passed to CLI11, which would otherwise give a meaning of its own to values such
/// as "[a,b]", "{}" and "++".
inline constexpr char operand_mark = '=';

/// Adds a required operand.
Option add_operand(CLI::App& command, const std::string& name, std::string& target, const std::string& help);
/// Adds operands, at least `min_count` of them.
Option add_operands(CLI::App& command, const std::string& name, std::vector<std::string>& target,
                    int min_count, const std::string& help);

/// Adds an option that takes text. `names` is in the form "-o,--output"; the help shows `placeholder` for the
/// text.
Option add_text(CLI::App& command, const std::string& names, std::string& target,
                const std::string& placeholder, const std::string& help);
/// Adds an option that takes one or more names, separated by commas.
Option add_names(CLI::App& command, const std::string& names, std::vector<std::string>& target,
                 const std::string& placeholder, const std::string& help);
/// Adds an option that takes a folder and may be given several times.
Option add_folders(CLI::App& command, const std::string& names, std::vector<std::string>& target,
                   const std::string& help);
/// Adds --allow-empty, which accepts an input of zero bytes as one without rows.
void add_allow_empty(CLI::App& command, bool& target);
/// Adds --undo-class-weights, which gives the probabilities for the rows as they are, for a model with class
/// weights.
void add_undo_class_weights(CLI::App& command, bool& target);
/// Adds -o,--output for text that may go to standard output as "-". Paths such as /dev/stdout become "-" too.
Option add_output_text(CLI::App& command, std::string& target, const std::string& help);
/// Adds an option that takes a whole number from 0.
Option add_count(CLI::App& command, const std::string& names, std::uint64_t& target, const std::string& help);
/// The same, for a default that depends on other things.
Option add_count(CLI::App& command, const std::string& names, std::optional<std::uint64_t>& target,
                 const std::string& help);
/// Adds an option that takes a finite number.
Option add_number(CLI::App& command, const std::string& names, std::optional<double>& target,
                  const std::string& help);
/// Adds --delimiter, --quote and --header, for text whose form differs from the one in the schema.
void add_text_form(CLI::App& command, TextForm& target);
/// Adds --folds and --fold-by, for commands that read text.
void add_fold_options(CLI::App& command, Folds& target);
/// Adds an option that takes a size in bytes; see parse_byte_size().
Option add_bytes(CLI::App& command, const std::string& names, std::uint64_t& target, const std::string& help);
/// The same, where 0 stands for no limit.
Option add_bytes_or_none(CLI::App& command, const std::string& names, std::uint64_t& target,
                         const std::string& help);
/// Adds an option that takes one of a few words.
Option add_choice(CLI::App& command, const std::string& names, std::string& target,
                  const std::vector<std::string_view>& choices, const std::string& help);
/// Adds an option that takes one ASCII character, or "tab" or "space". `none`, if not empty, is a word for
/// '\0'.
Option add_character(CLI::App& command, const std::string& names, std::optional<char>& target,
                     std::string_view none, const std::string& help);
Option add_switch(CLI::App& command, const std::string& names, bool& target, const std::string& help);

/// Help of `--devices` for commands that work on one device.
inline constexpr const char* predict_device_help =
    "device to predict on: cpu, cuda or cuda:1; of several, the first is used";

/// The options that every command understands.
struct CommonOptions {
  bool json = false;
  bool quiet = false;
  std::uint64_t threads = 0;  // 0: all

  bool show_progress() const noexcept { return !quiet; }
};

/// Adds --json and --quiet.
void add_report_options(CLI::App& command, CommonOptions& common);
/// Adds --threads, --json and --quiet.
void add_work_options(CLI::App& command, CommonOptions& common);

}  // namespace widehash::tools
