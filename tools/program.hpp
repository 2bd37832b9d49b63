#pragma once

/// \file
/// The program: its commands, the reading of the command line, and what becomes of errors.

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

/// Exit codes, as scripts rely on them. A run that a signal stopped ends with `exit_signal` and the signal's
/// number: 130 for SIGINT, 143 for SIGTERM.
enum ExitCode { exit_done = 0, exit_failed = 1, exit_wrong_command = 2, exit_signal = 128 };

/// What a command does where a launcher such as mpirun starts it several times at once.
enum class Processes {
  one,     // is refused: each process would do all of the work, over each other's output
  shared,  // divides the work among them
  any      // answers in each of them
};

/// One subcommand. CLI11 reads its options; everything around is ours.
struct Command {
  Command();
  ~Command();

  std::unique_ptr<CLI::App> reader;
  CLI::App& app = *reader;
  std::string examples;  // "# what for" and command lines, in turns
  std::function<void()> run;
  Processes processes = Processes::one;
  bool hidden = false;  // left out of help, reference and completion
};

class Program {
 public:
  /// Adds a command; its options are declared on the `app` of the answer, which lives as long as the program.
  Command& add(const std::string& name, const std::string& summary, const std::string& examples);

  const std::vector<std::unique_ptr<Command>>& commands() const noexcept { return commands_; }

  /// Runs the command that `words` (without the program's name) asks for. Errors are said on the standard
  /// error, in one line. Returns an ExitCode. Never throws.
  int run(std::span<const std::string> words) noexcept;

 private:
  int dispatch(std::span<const std::string> words);
  int run_command(Command& command, std::span<const std::string> words);
  Command& find(const std::string& name);
  void require_one_process(const Command& command) const;

  std::vector<std::unique_ptr<Command>> commands_;
};

}  // namespace widehash::tools
