#pragma once

/// \file
/// The program: its commands, the parsing of the command line, and the handling of errors.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

// CLI11 takes seconds to compile, so only what reads the command line includes it.
namespace CLI {
class App;
}  // namespace CLI

namespace widehash::tools {

/// Exit codes that scripts rely on. A run stopped by a signal ends with `exit_signal` plus the number of the
/// signal: 130 for SIGINT, 143 for SIGTERM.
enum ExitCode { exit_done = 0, exit_failed = 1, exit_wrong_command = 2, exit_signal = 128 };

/// What a command does if a launcher such as mpirun starts it several times at once.
enum class Processes {
  one,     // refused: each process would do all of the work, over each other's output
  shared,  // divides the work among the processes
  any      // answers in each process
};

/// One subcommand. CLI11 parses its options; everything around that is ours.
struct Command {
  Command();
  ~Command();

  std::unique_ptr<CLI::App> reader;
  CLI::App& app = *reader;
  std::string examples;  // "# purpose" lines and command lines, alternating
  std::function<void()> run;
  Processes processes = Processes::one;
  bool hidden = false;  // left out of help, reference and completion
};

class Program {
 public:
  /// Adds a command. Its options are declared on the `app` of the result, which lives as long as the program.
  Command& add(const std::string& name, const std::string& summary, const std::string& examples);

  const std::vector<std::unique_ptr<Command>>& commands() const noexcept { return commands_; }

  /// Runs the command that `words` (without the program's name) asks for. Reports an error in one line on
  /// standard error; for a wrong command, a second line points to the help. Returns an ExitCode. Never
  /// throws.
  int run(std::span<const std::string> words) noexcept;

 private:
  int dispatch(std::span<const std::string> words);
  int run_command(Command& command, std::span<const std::string> words);
  Command& find(const std::string& name);
  void require_one_process(const Command& command) const;

  std::vector<std::unique_ptr<Command>> commands_;
};

}  // namespace widehash::tools
