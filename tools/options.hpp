#pragma once

/// \file
/// The kinds of options a command can have. Each checks its text with a message that says what would be
/// right, and tells the help, the reference and the shell completion what it takes.
///
/// Every function stores into `target` while the command line is read, so `target` must outlive the reading;
/// what it holds before is the default, shown in the help. Wrong text throws CLI::ValidationError.

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

/// An option that was declared. A handle: it is good as long as its command.
class Option {
 public:
  explicit Option(CLI::Option* option) noexcept : option_(option) {}

  Option required();
  /// Where the default that `target` holds means nothing to users.
  Option without_default();
  /// Whether the command line had it. After the reading.
  bool was_given() const;
  /// "--output" of "-o,--output".
  std::string name() const;

 private:
  CLI::Option* option_;
};

/// Put before every operand on its way through CLI11, which would otherwise give a meaning of its own to
/// values such as
/// "[a,b]", "{}" and "++".
inline constexpr char operand_mark = '=';

/// An operand that must be given.
Option add_operand(CLI::App& command, const std::string& name, std::string& target, const std::string& help);
/// Operands, at least `min_count` of them.
Option add_operands(CLI::App& command, const std::string& name, std::vector<std::string>& target,
                    int min_count, const std::string& help);

/// `names` as "-o,--output"; `placeholder` stands for the text in the help.
Option add_text(CLI::App& command, const std::string& names, std::string& target,
                const std::string& placeholder, const std::string& help);
/// Names apart by commas, one or more.
Option add_names(CLI::App& command, const std::string& names, std::vector<std::string>& target,
                 const std::string& placeholder, const std::string& help);
/// A folder, or several where it is given several times.
Option add_folders(CLI::App& command, const std::string& names, std::vector<std::string>& target,
                   const std::string& help);
/// Whether an input without a byte is one of no rows.
void add_allow_empty(CLI::App& command, bool& target);
/// Whether chances are to be those of rows as they are, of a model of class weights.
void add_undo_class_weights(CLI::App& command, bool& target);
/// -o,--output of what may go to the standard output: "-", which /dev/stdout becomes too.
Option add_output_text(CLI::App& command, std::string& target, const std::string& help);
/// A whole number from 0.
Option add_count(CLI::App& command, const std::string& names, std::uint64_t& target, const std::string& help);
/// The same where the default depends on other things.
Option add_count(CLI::App& command, const std::string& names, std::optional<std::uint64_t>& target,
                 const std::string& help);
/// A finite number.
Option add_number(CLI::App& command, const std::string& names, std::optional<double>& target,
                  const std::string& help);
/// --delimiter, --quote and --header of text that is another than a schema says.
void add_text_form(CLI::App& command, TextForm& target);
/// --folds and --fold-by of the commands that read text.
void add_fold_options(CLI::App& command, Folds& target);
/// Bytes, see parse_byte_size().
Option add_bytes(CLI::App& command, const std::string& names, std::uint64_t& target, const std::string& help);
/// The same where 0 stands for no limit.
Option add_bytes_or_none(CLI::App& command, const std::string& names, std::uint64_t& target,
                         const std::string& help);
/// One of a few words.
Option add_choice(CLI::App& command, const std::string& names, std::string& target,
                  const std::vector<std::string_view>& choices, const std::string& help);
/// One ASCII character, or "tab" or "space"; `none` is a word for '\0', if there is one.
Option add_character(CLI::App& command, const std::string& names, std::optional<char>& target,
                     std::string_view none, const std::string& help);
Option add_switch(CLI::App& command, const std::string& names, bool& target, const std::string& help);

/// Of `--devices` where one device does the work.
inline constexpr const char* predict_device_help =
    "device to predict on: cpu, cuda or cuda:1; of several, the first is used";

/// What every command understands.
struct CommonOptions {
  bool json = false;
  bool quiet = false;
  std::uint64_t threads = 0;  // 0: all

  bool show_progress() const noexcept { return !quiet; }
};

/// --json and --quiet.
void add_report_options(CLI::App& command, CommonOptions& common);
/// --threads, --json and --quiet.
void add_work_options(CLI::App& command, CommonOptions& common);

}  // namespace widehash::tools
