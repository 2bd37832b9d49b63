#include "commands.hpp"
#include "freed_memory.hpp"
#include "mapped_files.hpp"
#include "standard_streams.hpp"

#include <csignal>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  // Lets `widehash predict ... | head` end quietly, even if the parent process ignores the signal.
  std::signal(SIGPIPE, SIG_DFL);
  // Makes a write beyond the limit of `ulimit -f` fail, with a message that names the file.
  std::signal(SIGXFSZ, SIG_IGN);

  using namespace widehash::tools;
  give_back_large_buffers();
  keep_standard_descriptors();
  name_files_that_cannot_be_read();
  Program program;
  add_inspect_command(program);
  add_fit_command(program);
  add_transform_command(program);
  add_verify_command(program);
  add_audit_command(program);
  add_compare_command(program);
  add_export_command(program);
  add_train_command(program);
  add_evaluate_command(program);
  add_predict_command(program);
  add_explain_command(program);
  add_values_command(program);
  add_describe_command(program);
  add_hash_command(program);
  add_devices_command(program);
  add_generated_text_commands(program);
  return program.run(std::vector<std::string>(argv + (argc > 0), argv + argc));
}
