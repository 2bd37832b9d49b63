#include "pages.hpp"

#include <widehash/version.hpp>

#include <string_view>

#include <fmt/format.h>

namespace widehash::tools {
namespace {

/// Escapes text for roff: backslashes and hyphens stay as they are, and no line begins with a control
/// character.
std::string roff(std::string_view text) {
  std::string escaped;
  bool line_start = true;
  for (const char letter : text) {
    if (line_start && (letter == '.' || letter == '\'')) escaped += "\\&";
    if (letter == '\\') {
      escaped += "\\e";
    } else if (letter == '-') {
      escaped += "\\-";
    } else {
      escaped += letter;
    }
    line_start = letter == '\n';
  }
  return escaped;
}

std::string paragraph(const std::string& heading, const std::string& text) {
  return fmt::format(".TP\n.B {}\n{}\n", roff(heading), roff(text));
}

std::string verbatim(const std::string& text) { return fmt::format(".PP\n.nf\n{}.fi\n", roff(text)); }

std::string section(std::string_view heading) { return fmt::format(".SH {}\n", heading); }

std::string of_command(const CommandPage& page) {
  std::string text = fmt::format(".SS {}\n{}.\n", roff(page.usage()), roff(page.summary));
  for (const auto& operand : page.operands) text += paragraph(operand.heading(), operand.help);
  for (const auto& option : page.options) {
    const std::string default_text =
        option.default_text.empty() ? "" : fmt::format(" (default: {})", option.default_text);
    text += paragraph(option.heading(), option.help + default_text);
  }
  return text + ".PP\nExamples:\n" + verbatim(page.examples);
}

}  // namespace

std::string man_page(const Program& program) {
  std::string text = fmt::format(
      ".TH WIDEHASH 1 \"\" \"widehash {}\" \"User commands\"\n.SH NAME\nwidehash \\- {}\n.SH SYNOPSIS\n"
      ".B widehash\n.I command\n[options]\n",
      version, roff(program_summary));
  text += section("DESCRIPTION") + verbatim(program_notes);
  text += section("COMMANDS");
  for (const auto& page : describe(program)) text += of_command(page);
  text += section("EXAMPLES") + verbatim(program_example);
  return text + section("EXIT STATUS") + verbatim(program_exit_codes);
}

}  // namespace widehash::tools
