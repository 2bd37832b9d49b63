#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "prediction_lines.hpp"
#include "progress_bar.hpp"
#include "report.hpp"
#include "stop_signals.hpp"
#include "text.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/read_places.hpp>
#include <widehash/model.hpp>
#include <widehash/predict.hpp>
#include <widehash/schema.hpp>
#include <widehash/threads.hpp>
#include <widehash/trained_class_weights.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

namespace widehash::tools {
namespace {

constexpr const char* rejected_suffix = ".rejected.tsv";  // after the output path: lists the bad rows

struct Options {
  PredictOptions predict;
  std::string output = "-";
  std::string device = "cpu";
  std::optional<std::uint64_t> top;
  std::optional<std::uint64_t> effects;
  CommonOptions common;
};

/// The form of the lines. Throws ConfigError if there are no classes to choose from.
LineForm form_of(const Options& options) {
  LineForm form;
  if (options.effects) {
    if (*options.effects == 0) throw ConfigError("predict: --effects 0 shows no features; give 1 or more");
    form.effects = *options.effects;
  }
  if (!options.top) return form;
  if (*options.top == 0) throw ConfigError("predict: --top 0 shows no classes; give 1 or more");
  const std::string& model = options.predict.model;
  const Schema schema = parse_schema(read_model_header<float>(model).source.schema_toml, model);
  form.classes = schema.label.classes;
  if (form.classes.empty()) {
    throw ConfigError(fmt::format(
        "{}: predicts one number a row and has no classes for --top to choose from; leave --top out", model));
  }
  form.top = std::min<std::size_t>(*options.top, form.classes.size());
  return form;
}

/// Users who put lines next to rows of text must know about rows without a prediction. Printed with --quiet
/// too, because it concerns the result.
void say_rejected(const PredictReport& report) {
  if (report.rejected_rows == 0) return;
  const bool has_lines = report.lines > report.rows;
  const std::string what = has_lines ? "have nan in place of a prediction"
                                     : "were left out when the dataset was made and have no line here, so "
                                       "lines do not match the rows of its text";
  const std::string where = !report.rejected_file.empty() ? "; see " + printable(report.rejected_file)
                            : has_lines ? "; with -o FILE they are listed in FILE.rejected.tsv"
                                        : "";
  write_warning(fmt::format("bad rows: {} {}{}", count_text(report.rejected_rows), what, where));
}

void run(const Options& options) {
  const bool to_standard_output = options.output == "-";
  if (to_standard_output && options.common.json) {
    throw ConfigError(
        "predict: --json and the predictions cannot share the standard output; give a file with -o");
  }
  const Stopwatch watch;
  PredictOptions what = options.predict;
  what.device = parse_devices(options.device).front();
  if (what.undo_class_weights && trained_class_weights(what.model).empty())
    write_warning(nothing_to_undo_text(what.model));
  const ReadPlaces read = places_read(what);
  require_apart(options.output, read);
  refuse_valued_file(options.output);
  const bool has_list = is_place_for_file(options.output);
  if (has_list) require_apart(options.output + rejected_suffix, read);
  // The list of an earlier run does not belong to these predictions, so it is removed.
  if (has_list) what.rejected_path = options.output + rejected_suffix;
  const LineForm form = form_of(options);
  what.effects = form.effects > 0;
  const PredictionText lines = [&](const PredictedLines& rows) { return prediction_lines(rows, form); };
  what.stop = &stop_on_signals();  // before there is anything to clean up
  TextOutput output(options.output);
  ProgressBar bar("predict", options.common.show_progress() && !to_standard_output);
  PredictReport report;
  with_threads(options.common.threads, [&] {
    report = predict(
        what, lines, [&](std::string_view text) { output.write(text); }, bar.callback());
  });
  output.finish();
  bar.erase();
  say_rejected(report);
  const double seconds = watch.seconds();
  if (options.common.json) {
    Json object;
    object["rows"] = report.rows;
    set_speed(object, report.rows, seconds);
    object["rejected_rows"] = report.rejected_rows;
    object["rejected_file"] = report.rejected_file.empty() ? Json(nullptr) : Json(report.rejected_file);
    object["lines"] = report.lines;
    object["outputs"] = report.outputs;
    object["output"] = options.output;
    print_json(object);
  } else if (!to_standard_output && !options.common.quiet) {
    write_standard_output(fmt::format("{}: {} rows  ({})\n", printable(options.output),
                                      rows_text(report.rows, report.rejected_rows, ""),
                                      speed_text(report.rows, 0, seconds)));
  }
}

}  // namespace

void add_predict_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command =
      program.add("predict", "predict every row with a model: one line per row, in input order",
                  "# rows of text, with or without a label\n"
                  "widehash predict clicks.model day3.tsv -o clicks.txt\n"
                  "# read from a pipe, write to another program\n"
                  "zcat day3.tsv.gz | widehash predict clicks.model - | sort -g | tail -n 20\n"
                  "# print each prediction after the identifier of its row\n"
                  "widehash predict clicks.model day3.tsv --keep user,time -o clicks.tsv\n"
                  "# predict a CSV file with a model trained on TSV\n"
                  "widehash predict clicks.model day3.csv --delimiter , --quote '\"' -o clicks.txt\n"
                  "# up to 100 bad rows get nan in their lines; clicks.txt.rejected.tsv lists them\n"
                  "widehash predict clicks.model day3.tsv -o clicks.txt --max-bad-rows 100\n"
                  "# the three likeliest classes of each row, by name\n"
                  "widehash predict species.model day3.tsv --top 3\n"
                  "# why? The three features with the largest effects on each prediction\n"
                  "widehash predict clicks.model day3.tsv --keep user --effects 3\n"
                  "# an encoded dataset\n"
                  "widehash predict clicks.model day2 -o clicks.txt --json\n");
  CLI::App& app = command.app;
  add_operand(app, "MODEL", options->predict.model, "model from `widehash train`");
  add_operands(app, "DIR|INPUT", options->predict.inputs, 1,
               "datasets, or text: files, globs, or - for standard input");
  add_output_text(app, options->output, "file to write, replacing an existing one; - for standard output");
  add_text(app, "--tables", options->predict.tables_directory, "DIR",
           "tables from `widehash fit`, if the schema needs them and the input is text");
  add_count(app, "--max-bad-rows", options->predict.max_bad_rows,
            "accept up to this many bad rows of text before failing; each gets nan in its line, and with -o "
            "FILE they are listed in FILE.rejected.tsv");
  add_names(app, "--keep", options->predict.keep, "FIELDS",
            "print these text fields, such as an identifier, before the prediction in each line; separate "
            "fields with commas");
  add_count(app, "--top", options->top,
            "for a model of classes, print the N likeliest classes of each row with their probabilities "
            "(class<TAB>probability), instead of the probabilities of all classes");
  add_count(
      app, "--effects", options->effects,
      "after the prediction of each row of text, print the N features with the largest effects on it (on the "
      "likeliest output, if there are several) as feature<TAB>value<TAB>effect. Effects are on the log odds "
      "or in the units of the label, relative to the feature's mean over the training rows");
  add_undo_class_weights(app, options->predict.undo_class_weights);
  add_allow_empty(app, options->predict.allow_empty);
  add_text_form(app, options->predict.text_form);
  add_text(app, "--devices", options->device, "DEVICE", predict_device_help);
  add_work_options(app, options->common);
  command.run = [options] { run(*options); };
}

}  // namespace widehash::tools
