#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "pages.hpp"

#include <widehash/error.hpp>

#include <memory>

namespace widehash::tools {

void add_generated_text_commands(Program& program) {
  auto as_man_page = std::make_shared<bool>(false);
  Command& reference =
      program.add("reference", "all commands as one page", "widehash reference > docs/commands.md\n");
  reference.hidden = true;
  reference.processes = Processes::any;
  add_switch(reference.app, "--man", *as_man_page, "as a man page instead of markdown");
  reference.run = [&program, as_man_page] {
    write_standard_output(*as_man_page ? man_page(program) : markdown_reference(program));
  };

  auto shell = std::make_shared<std::string>();
  Command& completion =
      program.add("completion", "completion for a shell", "source <(widehash completion bash)\n");
  completion.hidden = true;
  completion.processes = Processes::any;
  add_operand(completion.app, "SHELL", *shell, "bash");
  completion.run = [&program, shell] {
    if (*shell != "bash") throw ConfigError("completion: there is none for '" + *shell + "'; known: bash");
    write_standard_output(bash_completion(program));
  };
}

}  // namespace widehash::tools
