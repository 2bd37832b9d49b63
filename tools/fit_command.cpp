#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "progress_bar.hpp"
#include "report.hpp"
#include "stop_signals.hpp"
#include "text.hpp"
#include "text_table.hpp"

#include <widehash/fit.hpp>
#include <widehash/threads.hpp>

#include <cstddef>
#include <memory>
#include <span>

#include <fmt/format.h>

namespace widehash::tools {
namespace {

struct Options {
  std::string schema;
  FitOptions fit;
  CommonOptions common;
};

/// Rows that this run counted; none if the tables were found complete.
std::uint64_t rows_done(const FitReport& report) {
  return report.already_complete ? 0 : report.rows - report.added_rows;
}

Json report_json(const FitReport& report, double seconds) {
  Json object;
  object["rows"] = report.rows;
  object["added_rows"] = report.added_rows;
  object["skipped_inputs"] = report.skipped_inputs;
  object["changed_inputs"] = report.changed_inputs;
  object["copied_inputs"] = report.copied_inputs;
  object["rejected_rows"] = report.rejected_rows;
  object["other_fold_rows"] = report.other_fold_rows;
  set_speed(object, rows_done(report), report.text_bytes, seconds);
  object["input_bytes"] = report.input_bytes;
  object["text_bytes"] = report.text_bytes;
  object["already_complete"] = report.already_complete;
  object["spilled_runs"] = report.spilled_runs;
  object["peak_memory_bytes"] = peak_memory_bytes();
  object["rejected_file"] = report.rejected_file.empty() ? Json(nullptr) : Json(report.rejected_file);
  object["tables_fingerprint"] = report.tables.fingerprint;
  object["features"] = Json::array();
  for (const auto& item : report.tables.items) {
    Json feature;
    feature["feature"] = item.feature;
    feature["num_values"] = item.num_values;
    feature["file"] = item.file.empty() ? Json(nullptr) : Json(item.file);
    if (item.file.empty()) {  // numeric
      const bool is_known = item.moments.count > 0;
      feature["mean"] = is_known ? Json(item.moments.mean) : Json(nullptr);
      feature["standard_deviation"] = is_known ? Json(item.moments.standard_deviation) : Json(nullptr);
    }
    object["features"].push_back(feature);
  }
  return object;
}

std::string changed_text(const std::vector<std::string>& inputs) {
  const std::string others = inputs.size() == 1 ? "" : fmt::format(" and {} more inputs", inputs.size() - 1);
  return fmt::format(
      "fit: {}{}: counted as it is now, but the tables that were there also count it as it was before; if "
      "that was the same day, make them again without it",
      printable(inputs.front()), others);
}

std::string copied_text(const std::vector<std::string>& inputs) {
  const std::string others = inputs.size() == 1 ? "" : fmt::format(" and {} more inputs", inputs.size() - 1);
  return fmt::format(
      "fit: {}{}: counted now, but the tables that were there count the same bytes under another path; if "
      "that is the same day, moved or copied, make them again without it",
      printable(inputs.front()), others);
}

std::string report_text(const FitReport& report, const Folds& folds, double seconds) {
  TextTable table("ll");
  table.add({"rows", rows_text(report.rows, report.rejected_rows, report.rejected_file)});
  if (report.added_rows > 0) table.add({"counted before", count_text(report.added_rows)});
  if (report.skipped_inputs > 0)
    table.add({"skipped", count_text(report.skipped_inputs, "input") + ", already counted or empty"});
  if (!folds.take_all()) table.add({"folds", folds_text(folds, report.other_fold_rows)});
  if (report.input_bytes > 0) table.add({"input", bytes_text(report.input_bytes)});
  table.add({"time", speed_text(rows_done(report), report.text_bytes, seconds)});
  table.add({"peak memory", bytes_text(peak_memory_bytes())});
  TextTable features("lrl");
  features.add({"feature", "values", ""});
  const std::vector<TableSet::Item>& items = report.tables.items;
  const std::size_t listed = num_listed(items.size());
  for (const auto& item : std::span(items).first(listed)) {
    if (!item.file.empty()) {
      features.add({printable(item.feature), count_text(item.num_values), item.file});
    } else if (item.moments.count > 0) {
      features.add({printable(item.feature), "",
                    fmt::format("mean {:.6g}, standard deviation {:.6g}", item.moments.mean,
                                item.moments.standard_deviation)});
    }
  }
  return table.text() + '\n' + features.text() +
         (listed < items.size() ? rest_text(items.size()) + '\n' : "") +
         (report.already_complete ? "\nthe tables were already there; nothing was written\n" : "");
}

void run(const Options& options) {
  const Stopwatch watch;
  require_folder_name(options.fit.output_directory);
  const SchemaSource schema = load_schema_source(options.schema);
  ProgressBar bar("fit", options.common.show_progress());
  FitOptions settings = options.fit;
  settings.stop = &stop_on_signals();
  const std::string twice = repeated_inputs_text(settings.inputs);
  FitReport report;
  with_threads(options.common.threads, [&] { report = fit(schema, settings, bar.callback()); });
  bar.erase();
  // Only one of several processes reports.
  if (!report.is_main) return;
  if (!twice.empty()) write_warning(twice);
  const std::string nothing =
      no_rows_text("fit", report.rows, report.rejected_rows, report.rejected_file, report.other_fold_rows);
  if (!nothing.empty()) write_warning(nothing);
  if (!report.changed_inputs.empty()) write_warning(changed_text(report.changed_inputs));
  if (!report.copied_inputs.empty()) write_warning(copied_text(report.copied_inputs));
  if (options.common.json) {
    print_json(report_json(report, watch.seconds()));
  } else if (!options.common.quiet) {
    write_standard_output(report_text(report, options.fit.folds, watch.seconds()));
  }
}

}  // namespace

void add_fit_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command =
      program.add("fit", "build lookup tables: every value of each feature, with its count and code",
                  "# tables for `audit` and `explain`, and for exact and standardize features\n"
                  "widehash fit --schema schema.toml 'days/*.tsv.gz' -o tables\n"
                  "# count within 512 MiB, however many values there are; skip up to 100 bad rows\n"
                  "widehash fit --schema schema.toml day1.tsv -o tables --memory 512M --max-bad-rows 100\n"
                  "# share the inputs among four hosts; the tables are the same\n"
                  "mpirun -n 4 --map-by ppr:1:node --bind-to none widehash fit --schema schema.toml "
                  "'days/*.tsv' -o tables\n"
                  "# add days that the tables do not count yet, without rereading the others\n"
                  "widehash fit --schema schema.toml 'days/*.tsv.gz' --add tables -o tables\n");
  CLI::App& app = command.app;
  add_operands(app, "INPUT", options->fit.inputs, 0, "file, glob, or - for standard input");
  add_text(app, "--schema", options->schema, "FILE", "schema of the table").required();
  add_text(app, "-o,--output", options->fit.output_directory, "DIR", "folder for the tables").required();
  add_folders(app, "--add", options->fit.add,
              "add to these tables, which must have the same schema; inputs that they already count are "
              "skipped. May be given several times");
  add_bytes(app, "--memory", options->fit.memory_bytes,
            "memory for counting; values beyond that spill to disk");
  add_count(app, "--max-bad-rows", options->fit.max_bad_rows, "skip up to this many bad rows before failing");
  add_allow_empty(app, options->fit.allow_empty);
  add_fold_options(app, options->fit.folds);
  add_switch(app, "--overwrite", options->fit.overwrite, "replace existing tables");
  add_work_options(app, options->common);
  command.processes = Processes::shared;
  command.run = [options] { run(*options); };
}

}  // namespace widehash::tools
