#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "progress_bar.hpp"
#include "report.hpp"
#include "stop_signals.hpp"
#include "text.hpp"
#include "text_table.hpp"

#include <widehash/threads.hpp>
#include <widehash/transform.hpp>

#include <memory>

#include <fmt/format.h>

namespace widehash::tools {
namespace {

struct Options {
  std::string schema;
  TransformOptions transform;
  CommonOptions common;
};

/// Rows that this run encoded. Rates leave out those that an earlier run had finished.
std::uint64_t rows_done(const TransformReport& report) { return report.rows - report.resumed_rows; }

Json report_json(const TransformReport& report, double seconds) {
  Json object;
  object["rows"] = report.rows;
  object["rejected_rows"] = report.rejected_rows;
  object["other_fold_rows"] = report.other_fold_rows;
  set_speed(object, rows_done(report), report.text_bytes, seconds);
  object["shards"] = report.shards;
  object["resumed_shards"] = report.resumed_shards;
  object["resumed_rows"] = report.resumed_rows;
  object["already_complete"] = report.already_complete;
  object["num_columns"] = report.num_columns;
  object["input_bytes"] = report.input_bytes;
  object["text_bytes"] = report.text_bytes;
  object["output_bytes"] = report.output_bytes;
  object["peak_memory_bytes"] = peak_memory_bytes();
  object["rejected_file"] = report.rejected_file.empty() ? Json(nullptr) : Json(report.rejected_file);
  return object;
}

std::string report_text(const TransformReport& report, const Folds& folds, double seconds) {
  const std::string found = report.resumed_shards == 0
                                ? ""
                                : fmt::format("  ({} found finished)", count_text(report.resumed_shards));
  TextTable table("ll");
  table.add({"rows", rows_text(report.rows, report.rejected_rows, report.rejected_file)});
  if (!folds.take_all()) table.add({"folds", folds_text(folds, report.other_fold_rows)});
  table.add({"shards", count_text(report.shards) + found});
  table.add({"columns", count_text(report.num_columns)});
  if (report.input_bytes > 0) table.add({"input", bytes_text(report.input_bytes)});
  table.add({"output", bytes_text(report.output_bytes)});
  table.add({"time", speed_text(rows_done(report), report.text_bytes, seconds)});
  table.add({"peak memory", bytes_text(peak_memory_bytes())});
  return table.text() +
         (report.already_complete ? "the dataset was already complete; nothing was written\n" : "");
}

void run(const Options& options) {
  const Stopwatch watch;
  require_folder_name(options.transform.output_directory);
  const SchemaSource schema = load_schema_source(options.schema);
  ProgressBar bar("transform", options.common.show_progress());
  TransformOptions settings = options.transform;
  settings.stop = &stop_on_signals();
  const std::string twice = repeated_inputs_text(settings.inputs);
  TransformReport report;
  with_threads(options.common.threads, [&] { report = transform(schema, settings, bar.callback()); });
  bar.erase();
  // Only one of several processes reports.
  if (!report.is_main) return;
  if (!twice.empty()) write_warning(twice);
  const std::string nothing = no_rows_text("transform", report.rows, report.rejected_rows,
                                           report.rejected_file, report.other_fold_rows);
  if (!nothing.empty()) write_warning(nothing);
  if (options.common.json) {
    print_json(report_json(report, watch.seconds()));
  } else if (!options.common.quiet) {
    write_standard_output(report_text(report, options.transform.folds, watch.seconds()));
  }
}

}  // namespace

void add_transform_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command =
      program.add("transform", "encode tables into a dataset of checksummed shards",
                  "# all days of a month; after a crash, or after fixing a bad row, rerun it to resume\n"
                  "widehash transform --schema schema.toml 'days/*.tsv.gz' -o month\n"
                  "# exact and standardize features need tables from `widehash fit`\n"
                  "widehash transform --schema schema.toml --tables tables day1.tsv -o day1\n"
                  "# skip up to 1000 bad rows; they are listed in day1/rejected.tsv\n"
                  "widehash transform --schema schema.toml day1.tsv -o day1 --max-bad-rows 1000 --json\n"
                  "# nine tenths of the rows for training, the rest for evaluation\n"
                  "widehash transform --schema schema.toml all.tsv -o train --folds 1-9/10\n"
                  "widehash transform --schema schema.toml all.tsv -o valid --folds 10/10\n"
                  "# share the inputs among four hosts; the dataset is the same\n"
                  "mpirun -n 4 --map-by ppr:1:node --bind-to none widehash transform --schema schema.toml "
                  "'days/*.tsv' -o month\n");
  CLI::App& app = command.app;
  TransformOptions& transform = options->transform;
  add_operands(app, "INPUT", transform.inputs, 1, "file, glob, or - for standard input");
  add_text(app, "--schema", options->schema, "FILE", "schema of the table").required();
  add_text(app, "-o,--output", transform.output_directory, "DIR", "folder for the dataset").required();
  add_text(app, "--tables", transform.tables_directory, "DIR",
           "tables from `widehash fit`, if an encoding needs them");
  add_count(app, "--max-bad-rows", transform.max_bad_rows, "skip up to this many bad rows before failing");
  add_allow_empty(app, transform.allow_empty);
  add_fold_options(app, transform.folds);
  add_bytes(app, "--memory", transform.memory_bytes, "memory for the blocks being processed");
  add_bytes(app, "--block-bytes,--shard-bytes", transform.block_bytes,
            "amount of text that goes into one shard");
  add_switch(app, "--overwrite", transform.overwrite,
             "replace an existing dataset, or the unfinished run of another command; an unfinished run of "
             "this command is resumed instead");
  add_work_options(app, options->common);
  command.processes = Processes::shared;
  command.run = [options] { run(*options); };
}

}  // namespace widehash::tools
