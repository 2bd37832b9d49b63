#include "pages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace widehash::tools {
namespace {

std::string flag_words(const CommandPage& page) {
  std::vector<std::string> words;
  for (const auto& option : page.options) {
    words.insert(words.end(), option.long_names.begin(), option.long_names.end());
    if (!option.short_name.empty()) words.push_back(option.short_name);
  }
  return fmt::format("{}", fmt::join(words, " "));
}

/// One line for each option with choices: `    train:--lr-decay) words="linear none" ;;`.
std::string choice_cases(const CommandPage& page) {
  std::string text;
  for (const auto& option : page.options) {
    if (option.choices.empty()) continue;
    for (const auto& name : option.long_names) {
      text += fmt::format("    {}:{}) words=\"{}\" ;;\n", page.name, name, fmt::join(option.choices, " "));
    }
  }
  return text;
}

}  // namespace

std::string bash_completion(const Program& program) {
  const auto pages = describe(program);
  std::vector<std::string> names;
  std::string flags;
  std::string choices;
  for (const auto& page : pages) {
    names.push_back(page.name);
    flags += fmt::format("    {}) words=\"{}\" ;;\n", page.name, flag_words(page));
    choices += choice_cases(page);
  }
  return fmt::format(R"(# bash completion for widehash; written by `widehash completion bash`.
_widehash() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
  local command="${{COMP_WORDS[1]}}" words=""
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=($(compgen -W "{} help --help --version" -- "$current"))
    return
  fi
  if [[ $command == help ]]; then words="{}"; fi
  case "$command:$previous" in
{}  esac
  if [[ -z $words && $current == -* ]]; then
    case "$command" in
{}    esac
  fi
  if [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}}
complete -o default -F _widehash widehash
)",
                     fmt::join(names, " "), fmt::join(names, " "), choices, flags);
}

}  // namespace widehash::tools
