#include "pages.hpp"

#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace widehash::tools {
namespace {

std::vector<std::string> split_choices(const std::string& placeholder) {
  std::vector<std::string> choices;
  std::size_t begin = 0;
  while (placeholder.find('|') != std::string::npos && begin <= placeholder.size()) {
    const std::size_t end = std::min(placeholder.find('|', begin), placeholder.size());
    choices.push_back(placeholder.substr(begin, end - begin));
    begin = end + 1;
  }
  return choices;
}

OptionEntry describe_option(const CLI::Option& option) {
  OptionEntry entry;
  if (!option.get_snames().empty()) entry.short_name = "-" + option.get_snames().front();
  for (const auto& name : option.get_lnames()) entry.long_names.push_back("--" + name);
  if (option.get_expected_max() > 0) {
    entry.placeholder = option.get_type_name();
    entry.choices = split_choices(entry.placeholder);
    entry.default_text = option.get_default_str();
  }
  entry.help = option.get_description();
  entry.required = option.get_required();
  return entry;
}

OperandEntry describe_operand(const CLI::Option& option) {
  return {option.get_name(true), option.get_description(), option.get_required(),
          option.get_expected_max() > 1};
}

}  // namespace

const char* const program_summary =
    "hash categorical tables to compact sparse matrices, and train wide networks on them";

const char* const program_example =
    "widehash inspect day1.tsv.gz --label clicked -o schema.toml  # look at the data; get a schema to edit\n"
    "widehash transform --schema schema.toml day1.tsv.gz -o day1  # encode to checksummed shards, resumable\n"
    "widehash train day1 -o clicks.model                          # linear wide model; or --hidden 32,16\n"
    "widehash evaluate clicks.model day2                          # log loss, AUC, calibration\n"
    "widehash predict clicks.model day3.tsv -o clicks.txt         # one line per row, in input order\n";

const char* const program_notes =
    "INPUT is a file, a quoted glob, or - for standard input; plain, gzip or zstd, detected by content.\n"
    "SIZE is bytes, or a number with K, M, G or T (powers of 1024): 512M, 1.5GiB. KB, MB, GB and TB are\n"
    "powers of 1000.\n"
    "Results go to standard output (as JSON with --json), progress and errors to standard error.\n"
    "`widehash completion bash` prints a bash completion script.\n";

const char* const program_exit_codes =
    "Exit codes: 0 success; 1 failure of the data or the machine; 2 invalid command line; 130 or 143 a\n"
    "signal stopped the run, at a point where it can be resumed or restarted; 141 the reader of the output\n"
    "is gone.\n";

std::string OptionEntry::heading() const {
  std::string text = short_name;
  for (const auto& name : long_names) text += (text.empty() ? "" : ", ") + name;
  return placeholder.empty() ? text : text + " " + placeholder;
}

std::string OperandEntry::heading() const {
  const std::string text = name + (repeated ? "..." : "");
  return required ? text : "[" + text + "]";
}

std::string CommandPage::usage() const {
  std::string text = "widehash " + name;
  for (const auto& operand : operands) text += " " + operand.heading();
  for (const auto& option : options) {
    if (!option.required) continue;
    text += fmt::format(" {} {}", option.short_name.empty() ? option.long_names.front() : option.short_name,
                        option.placeholder);
  }
  return text + " [options]";
}

CommandPage describe(const Command& command) {
  CommandPage page{command.app.get_name(), command.app.get_description(), {}, {}, command.examples};
  std::vector<OptionEntry> last;
  for (const auto* option : command.app.get_options()) {
    if (option->get_positional()) {
      page.operands.push_back(describe_operand(*option));
    } else if (option->check_lname("help")) {
      last.push_back(describe_option(*option));
    } else {
      page.options.push_back(describe_option(*option));
    }
  }
  page.options.insert(page.options.end(), last.begin(), last.end());
  return page;
}

std::vector<CommandPage> describe(const Program& program) {
  std::vector<CommandPage> pages;
  for (const auto& command : program.commands()) {
    if (!command->hidden) pages.push_back(describe(std::as_const(*command)));
  }
  return pages;
}

}  // namespace widehash::tools
