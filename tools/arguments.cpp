#include "arguments.hpp"

#include <widehash/internal/suggest.hpp>

#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace widehash::tools {
namespace {

bool is_option(std::string_view word) {
  if (word.size() < 2 || word[0] != '-') return false;
  const char second = word[1];
  return second != '.' && (second < '0' || second > '9');
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const auto* option : command.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    for (const auto& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

const CLI::Option& find_option(const CLI::App& command, const std::string& name, const std::string& word) {
  if (const auto* option = command.get_option_no_throw(name)) return *option;
  std::error_code ignored;
  if (std::filesystem::exists(word, ignored)) {
    throw CLI::ExtrasError(fmt::format("unknown option '{0}'; for the file of that name, write ./{0}", word),
                           CLI::ExitCodes::ExtrasError);
  }
  const auto names = option_names(command);
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  throw CLI::ExtrasError(fmt::format("unknown option '{}'{}", name, did_you_mean(name, candidates)),
                         CLI::ExitCodes::ExtrasError);
}

/// Throws if `word`, which stands where `option` needs its argument, is an option of the command. That
/// happens if a shell variable is not set.
void require_no_option(const CLI::App& command, const CLI::Option& option, const std::string& name,
                       const std::string& word) {
  if (!is_option(word) || command.get_option_no_throw(word.substr(0, word.find('='))) == nullptr) return;
  const std::string whole = option.get_lnames().empty() ? name : "--" + option.get_lnames().front();
  throw CLI::ArgumentMismatch(fmt::format("option '{}' needs an argument ({}), but '{}' is an option; if it "
                                          "is meant as the argument, write {}={}",
                                          name, option.get_type_name(), word, whole, word),
                              CLI::ExitCodes::ArgumentMismatch);
}

}  // namespace

Arguments sort_arguments(const CLI::App& command, std::span<const std::string> words) {
  Arguments sorted;
  std::set<const CLI::Option*> given;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") {
      sorted.operands.insert(sorted.operands.end(), words.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                             words.end());
      break;
    }
    if (!is_option(word)) {
      sorted.operands.push_back(word);
      continue;
    }
    const bool is_long = word[1] == '-';
    const std::size_t name_end = is_long ? std::min(word.find('='), word.size()) : 2;
    const std::string name = word.substr(0, name_end);
    const CLI::Option& option = find_option(command, name, word);
    const bool takes_argument = option.get_expected_max() > 0;
    const bool has_argument = name_end < word.size();
    if (!takes_argument && has_argument) {
      throw CLI::ArgumentMismatch(
          fmt::format("option '{}' takes no argument; leave '{}' out", name, word.substr(name_end)),
          CLI::ExitCodes::ArgumentMismatch);
    }
    const bool is_list = option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
    if (takes_argument && !is_list && !given.insert(&option).second) {
      throw CLI::ArgumentMismatch(fmt::format("option '{}' is given twice", name),
                                  CLI::ExitCodes::ArgumentMismatch);
    }
    sorted.options.push_back(name);
    if (!takes_argument) continue;
    if (has_argument) {
      sorted.options.push_back(word.substr(name_end + (is_long ? 1 : 0)));
    } else if (++i < words.size()) {
      require_no_option(command, option, name, words[i]);
      sorted.options.push_back(words[i]);
    } else {
      throw CLI::ArgumentMismatch(
          fmt::format("option '{}' needs an argument ({})", name, option.get_type_name()),
          CLI::ExitCodes::ArgumentMismatch);
    }
  }
  return sorted;
}

}  // namespace widehash::tools
