#pragma once

/// \file
/// The commands, each in a file of its own. Each function adds one command to the program.

#include "program.hpp"

namespace widehash::tools {

void add_inspect_command(Program& program);
void add_fit_command(Program& program);
void add_transform_command(Program& program);
void add_verify_command(Program& program);
void add_audit_command(Program& program);
void add_compare_command(Program& program);
void add_export_command(Program& program);
void add_train_command(Program& program);
void add_evaluate_command(Program& program);
void add_predict_command(Program& program);
void add_explain_command(Program& program);
void add_values_command(Program& program);
void add_describe_command(Program& program);
void add_hash_command(Program& program);
void add_devices_command(Program& program);
/// Adds the hidden commands `reference` and `completion`, which print text generated from the other commands.
void add_generated_text_commands(Program& program);

}  // namespace widehash::tools
