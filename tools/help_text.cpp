#include "pages.hpp"
#include "text_table.hpp"

#include <widehash/version.hpp>

#include <string_view>

#include <fmt/format.h>

namespace widehash::tools {
namespace {

constexpr std::size_t help_column = 30;
constexpr std::size_t text_width = 68;

/// Breaks `text` at spaces into lines of at most text_width characters.
std::vector<std::string> wrap(std::string_view text) {
  std::vector<std::string> lines;
  while (text.size() > text_width) {
    std::size_t end = text.rfind(' ', text_width);
    if (end == std::string_view::npos) end = std::min(text.find(' '), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!text.empty()) lines.emplace_back(text);
  return lines;
}

/// A heading and, from column help_column on, what it means.
std::string entry_text(const std::string& heading, const std::string& help) {
  std::string text = "  " + heading;
  bool on_heading_line = text.size() + 2 <= help_column;
  for (const auto& line : wrap(help)) {
    if (on_heading_line) {
      text.resize(help_column, ' ');
      on_heading_line = false;
    } else {
      text += '\n' + std::string(help_column, ' ');
    }
    text += line;
  }
  return text + '\n';
}

std::string option_help(const OptionEntry& option) {
  std::string help = option.help;
  if (option.required) help += " (required)";
  if (!option.default_text.empty()) help += fmt::format(" [{}]", option.default_text);
  return help;
}

std::string indented(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    result += "  " + std::string(text.substr(0, end));
    text.remove_prefix(end);
  }
  return result;
}

}  // namespace

std::string help_text(const CommandPage& page) {
  std::string text = fmt::format("widehash {}: {}\n\nusage: {}\n", page.name, page.summary, page.usage());
  if (!page.operands.empty()) text += '\n';
  for (const auto& operand : page.operands) text += entry_text(operand.heading(), operand.help);
  text += "\noptions:\n";
  for (const auto& option : page.options) {
    const std::string indent = option.short_name.empty() ? "    " : "";
    text += entry_text(indent + option.heading(), option_help(option));
  }
  return text + "\nexamples:\n" + indented(page.examples);
}

std::string help_text(const Program& program) {
  std::string text = fmt::format("widehash {}: {}\n\ntypical workflow:\n{}", version, program_summary,
                                 indented(program_example));
  TextTable commands("ll");
  for (const auto& page : describe(program)) commands.add({page.name, page.summary});
  text += "\ncommands:\n" + commands.text(2);
  return text + "\nRun widehash COMMAND --help for a command's options and examples.\n" + program_notes +
         program_exit_codes;
}

}  // namespace widehash::tools
