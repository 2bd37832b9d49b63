#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "progress_bar.hpp"
#include "report.hpp"
#include "text.hpp"
#include "value_report.hpp"

#include <widehash/error.hpp>
#include <widehash/evaluate.hpp>
#include <widehash/threads.hpp>
#include <widehash/trained_class_weights.hpp>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace widehash::tools {
namespace {

struct Options {
  EvaluateOptions evaluate;
  std::uint64_t top = 20;
  std::vector<Option> of_by;  // that need --by
  std::string device = "cpu";
  CommonOptions common;
};

/// What the figures say about the model as a whole. A model trained with class weights may well be worse than
/// a constant, so that is not reported unless the weights are undone.
std::string judgement_text(const MetricsReport& metrics, const std::vector<double>& class_weights,
                           bool are_undone) {
  if (class_weights.empty() || are_undone) {
    const std::string text = constant_text(metrics);
    if (text.empty()) return {};
    return text +
           "It has learnt nothing that helps with these rows, or they differ in kind from those it was\n"
           "trained on: check the means above, the units of the label and of numbers, and what\n"
           "`widehash compare` says about the tables of both.\n";
  }
  return fmt::format(
      "The model was trained with class weights ({}): its probabilities are those for rows weighted in\n"
      "that way, but losses and calibration here are for the rows as they are. --undo-class-weights, here\n"
      "and in predict, makes them probabilities for the rows as they are.\n",
      class_weights_text(class_weights));
}

/// What these rows say about the two models. A difference within two standard errors may be chance.
std::string against_text(const EvaluateReport& report, const std::string& other) {
  if (!report.against) return {};
  const auto& [metrics, difference, error] = *report.against;
  const JudgedBy figure = judged_by(report.metrics);
  constexpr double enough_errors = 2;
  const char* verdict = !error || std::abs(difference) <= enough_errors * *error
                            ? "these rows do not tell which is better"
                        : difference < 0 ? "the model judged here is better"
                                         : "that model is better";
  return fmt::format("\n{} has on the same rows: {} {:.6g}{}\nthe difference: {:+.3g}{}, so {}\n",
                     printable(other), figure.name, *(metrics.*figure.value),
                     metrics.auc ? fmt::format(", AUC {:.6g}", *metrics.auc) : "", difference,
                     error ? fmt::format(" +-{:.2g}", *error) : "", verdict);
}

Json against_json(const EvaluateReport& report, const std::string& other) {
  if (!report.against) return nullptr;
  Json object;
  object["model"] = other;
  set_figures(object, report.against->metrics);
  object["loss_difference"] = report.against->difference;
  object["loss_difference_standard_error"] = number_or_null(report.against->standard_error);
  return object;
}

void check_by(const Options& options) {
  if (options.evaluate.by.empty()) {
    for (const Option& option : options.of_by) {
      if (option.was_given())
        throw ConfigError(
            fmt::format("evaluate: {} is for the values of --by; add --by, or leave it out", option.name()));
    }
  } else if (options.top == 0 && !options.common.json) {
    throw ConfigError("evaluate: --top 0 leaves no value of --by to show; give 1 or more");
  }
}

void run(const Options& options) {
  check_by(options);
  const Stopwatch watch;
  ProgressBar bar("evaluate", options.common.show_progress());
  EvaluateOptions what = options.evaluate;
  const std::vector<double> class_weights = trained_class_weights(what.model);
  if (what.undo_class_weights && class_weights.empty()) write_warning(nothing_to_undo_text(what.model));
  what.device = parse_devices(options.device).front();
  EvaluateReport report;
  with_threads(options.common.threads, [&] { report = evaluate(what, bar.callback()); });
  bar.erase();
  const double seconds = watch.seconds();
  const MetricsReport& metrics = report.metrics;
  if (options.common.json) {
    Json object;
    object["rows"] = metrics.rows;
    object["rejected_rows"] = report.rejected_rows;
    set_speed(object, metrics.rows, seconds);
    set_metrics(object, metrics);
    object["class_weights"] = class_weights.empty() ? Json(nullptr) : Json(class_weights);
    object["by"] = by_value_json(report.by);
    object["against"] = against_json(report, what.against);
    print_json(object);
  } else {
    const std::string judgement = judgement_text(metrics, class_weights, what.undo_class_weights);
    const std::string left_out =
        report.rejected_rows > 0 ? fmt::format(", {} left out as bad", count_text(report.rejected_rows)) : "";
    write_standard_output(fmt::format(
        "{}{}  ({})\n\n{}{}{}{}{}", count_text(metrics.rows, "row"), left_out,
        speed_text(metrics.rows, 0, seconds), metrics_text(metrics), by_value_text(report.by, options.top),
        against_text(report, what.against), judgement.empty() ? "" : "\n", judgement));
  }
}

}  // namespace

void add_evaluate_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command = program.add(
      "evaluate", "evaluate a model on rows with labels: log loss, AUC, accuracy, RMSE, deviance, each class",
      "# on a day that the model has not seen\n"
      "widehash evaluate clicks.model day2\n"
      "# on text, without making a dataset first\n"
      "widehash evaluate clicks.model day3.tsv.gz\n"
      "# on a week of days, as one\n"
      "widehash evaluate clicks.model day2 day3 day4 day5 day6 day7 day8\n"
      "# where it does well and where it does not: by the values of two text fields\n"
      "widehash evaluate clicks.model day3.tsv.gz --by site,device\n"
      "# is it better than yesterday's, and not by chance?\n"
      "widehash evaluate today.model day3.tsv.gz --against yesterday.model\n"
      "# one figure, for a script\n"
      "widehash evaluate clicks.model day2 --json | jq .auc\n"
      "# classes of which the model finds less than half\n"
      "widehash evaluate species.model day2 --json | jq '.classes[] | select(.support > 0 and .recall < "
      "0.5)'\n");
  CLI::App& app = command.app;
  EvaluateOptions& evaluate = options->evaluate;
  add_operand(app, "MODEL", evaluate.model, "model from `widehash train`");
  add_operands(app, "DIR|INPUT", evaluate.inputs, 1,
               "datasets of the same schema, or text: files, globs, or - for standard input. Rows need "
               "labels; several inputs are evaluated as one");
  add_text(app, "--tables", evaluate.tables_directory, "DIR",
           "tables from `widehash fit`, if the schema needs them and the input is text");
  add_count(app, "--max-bad-rows", evaluate.max_bad_rows,
            "skip up to this many bad rows of text before failing; `widehash transform` lists them");
  add_names(app, "--by", evaluate.by, "FIELDS",
            "also evaluate the rows of each value of these text fields; separate fields with commas");
  options->of_by.push_back(add_count(app, "--most-values", evaluate.most_values,
                                     "number of values of each --by field to evaluate separately, in order "
                                     "of first appearance; the rows of all others are evaluated together"));
  options->of_by.push_back(
      add_count(app, "--top", options->top,
                "number of values of each --by field to show, heaviest first; --json has all"));
  add_text(app, "--against", evaluate.against, "MODEL",
           "also evaluate this model on the same rows, and show by how much the figure differs. With text "
           "input it may have another schema");
  add_undo_class_weights(app, evaluate.undo_class_weights);
  add_allow_empty(app, evaluate.allow_empty);
  add_text_form(app, evaluate.text_form);
  add_text(app, "--devices", options->device, "DEVICE", predict_device_help);
  add_work_options(app, options->common);
  command.run = [options] { run(*options); };
}

}  // namespace widehash::tools
