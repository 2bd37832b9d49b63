#include "program.hpp"

#include "arguments.hpp"
#include "options.hpp"
#include "output.hpp"
#include "pages.hpp"
#include "stop_signals.hpp"
#include "text.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/suggest.hpp>
#include <widehash/launcher.hpp>
#include <widehash/version.hpp>

#include <csignal>
#include <cstdio>
#include <new>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace widehash::tools {
namespace {

void say_error(const std::string& message) {
  const std::string line = fmt::format("widehash: {}\n", printable(message));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

int say_wrong_command(const std::string& message, const std::string& command) {
  say_error(message);
  const std::string line = fmt::format("see widehash {}--help\n", command.empty() ? "" : command + " ");
  std::fwrite(line.data(), 1, line.size(), stderr);
  return exit_wrong_command;
}

/// The options of a command that make it take less memory if they are lowered.
std::string memory_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const char* name : {"--hidden", "--batch-size", "--memory", "--most-values", "--threads"}) {
    // For `train`, --memory is a limit that is checked before any memory is taken.
    const bool is_limit = !names.empty() && std::string_view(name) == "--memory";
    if (!is_limit && command.get_option_no_throw(name) != nullptr) names.emplace_back(name);
  }
  return fmt::format("{}", fmt::join(names, " or "));
}

}  // namespace

Command::Command() : reader(std::make_unique<CLI::App>()) {}
Command::~Command() = default;

Command& Program::add(const std::string& name, const std::string& summary, const std::string& examples) {
  commands_.push_back(std::make_unique<Command>());
  Command& command = *commands_.back();
  command.app.name(name);
  command.app.description(summary);
  command.app.set_help_flag("-h,--help", "print this help");
  command.examples = examples;
  return command;
}

Command& Program::find(const std::string& name) {
  std::vector<std::string_view> known;
  for (const auto& command : commands_) {
    if (command->app.get_name() == name) return *command;
    if (!command->hidden) known.push_back(command->app.get_name());
  }
  // get_name() returns a reference into the command, so the views above stay valid.
  throw CLI::ExtrasError(fmt::format("unknown command '{}'{}", name, did_you_mean(name, known)),
                         CLI::ExitCodes::ExtrasError);
}

void Program::require_one_process(const Command& command) const {
  const Launch launched = launch();
  if (command.processes != Processes::one || launched.processes == 1) return;
  std::vector<std::string> shared;
  for (const auto& other : commands_) {
    if (other->processes == Processes::shared) shared.push_back(other->app.get_name());
  }
  throw ConfigError(
      fmt::format("{0} works in one process, but {1} were started together ({2}) and each would do all of "
                  "it; start it without mpirun. Commands that share their work across processes: {3}. To run "
                  "{0} in each process on purpose, unset {2}",
                  command.app.get_name(), launched.processes, launched.variable, fmt::join(shared, ", ")));
}

int Program::run_command(Command& command, std::span<const std::string> words) {
  const std::string& name = command.app.get_name();
  try {
    const Arguments arguments = sort_arguments(command.app, words);
    // CLI11 takes the words in reverse order.
    std::vector<std::string> reversed;
    for (auto word = arguments.operands.rbegin(); word != arguments.operands.rend(); ++word) {
      reversed.push_back(operand_mark + *word);
    }
    reversed.insert(reversed.end(), arguments.options.rbegin(), arguments.options.rend());
    command.app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    write_standard_output(help_text(describe(command)));
    return exit_done;
  } catch (const CLI::ExtrasError& error) {
    const auto extra = command.app.remaining();
    return say_wrong_command(
        extra.empty() ? error.what() : fmt::format("unexpected argument '{}'", extra.front().substr(1)),
        name);
  } catch (const CLI::ParseError& error) {
    return say_wrong_command(error.what(), name);
  }
  require_one_process(command);
  try {
    command.run();
  } catch (const std::bad_alloc&) {
    const std::string options = memory_options(command.app);
    say_error(fmt::format("{}: out of memory; {}use a machine with more", name,
                          options.empty() ? "" : fmt::format("lower {}, or ", options)));
    return exit_failed;
  }
  return exit_done;
}

int Program::dispatch(std::span<const std::string> words) {
  if (words.empty()) {
    const std::string text = help_text(*this);
    std::fwrite(text.data(), 1, text.size(), stderr);
    return exit_wrong_command;
  }
  const std::string& first = words.front();
  if (first == "--version") {
    write_standard_output(fmt::format("widehash {}\n", version));
    return exit_done;
  }
  if (first == "-h" || first == "--help" || first == "help") {
    const bool whole = words.size() == 1;
    write_standard_output(whole ? help_text(*this) : help_text(describe(find(words[1]))));
    return exit_done;
  }
  if (first.starts_with('-')) {
    static constexpr std::string_view options[] = {"--help", "--version"};
    return say_wrong_command(fmt::format("unknown option '{}'{}", first, did_you_mean(first, options)), "");
  }
  return run_command(find(first), words.subspan(1));
}

int Program::run(std::span<const std::string> words) noexcept {
  try {
    return dispatch(words);
  } catch (const CLI::ParseError& error) {
    return say_wrong_command(error.what(), "");
  } catch (const ConfigError& error) {
    say_error(error.what());
    return exit_wrong_command;
  } catch (const Stopped& stop) {
    say_error(stop.what());
    // If no signal came here, another process of the run received one, and only that process knows which.
    return exit_signal + (stop_signal() != 0 ? stop_signal() : SIGTERM);
  } catch (const std::bad_alloc&) {
    say_error("out of memory");
  } catch (const Error& error) {
    say_error(error.what());
  } catch (const std::exception& error) {
    say_error(fmt::format("unexpected failure: {}", error.what()));
  }
  return exit_failed;
}

}  // namespace widehash::tools
