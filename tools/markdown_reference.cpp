#include "pages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace widehash::tools {
namespace {

/// Text for a table cell.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char letter : text) {
    if (letter == '|') escaped += '\\';
    escaped += letter;
  }
  return escaped;
}

std::string command_section(const CommandPage& page) {
  std::string text =
      fmt::format("\n## widehash {}\n\n{}.\n\n    {}\n\n| argument | meaning | default |\n|---|---|---|\n",
                  page.name, page.summary, page.usage());
  for (const auto& operand : page.operands) {
    text += fmt::format("| `{}` | {} | |\n", cell(operand.heading()), cell(operand.help));
  }
  for (const auto& option : page.options) {
    const std::string default_text = option.required               ? "required"
                                     : option.default_text.empty() ? ""
                                                                   : "`" + option.default_text + "`";
    text += fmt::format("| `{}` | {} | {} |\n", cell(option.heading()), cell(option.help), default_text);
  }
  return text + "\n```sh\n" + page.examples + "```\n";
}

}  // namespace

std::string markdown_reference(const Program& program) {
  std::string text = fmt::format(
      "# Commands\n\n`widehash`: {}.\nThis page is written by `widehash reference`; a test compares it with "
      "the "
      "program.\n\n```sh\n{}```\n\n{}{}\n",
      program_summary, program_example, program_notes, program_exit_codes);
  const auto pages = describe(program);
  text += "| command | what it does |\n|---|---|\n";
  for (const auto& page : pages) {
    text += fmt::format("| [`{}`](#widehash-{}) | {} |\n", page.name, page.name, cell(page.summary));
  }
  for (const auto& page : pages) text += command_section(page);
  return text;
}

}  // namespace widehash::tools
