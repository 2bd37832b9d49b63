#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "progress_bar.hpp"
#include "report.hpp"
#include "text.hpp"

#include <widehash/evaluate.hpp>
#include <widehash/threads.hpp>
#include <widehash/trained_class_weights.hpp>

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace widehash::tools {
namespace {

struct Options {
  std::string model;
  std::vector<std::string> datasets;
  std::string device = "cpu";
  bool undo_class_weights = false;
  CommonOptions common;
};

/// What the figures say of the model as a whole; of one whose classes were weighed it is no wonder that it is worse
/// than a constant.
std::string judgement_text(const MetricsReport& metrics, const std::vector<double>& class_weights,
                           bool are_undone) {
  if (class_weights.empty() || are_undone) return constant_text(metrics);
  return fmt::format(
      "The model was trained with class weights ({}): its chances are those of rows weighted so,\n"
      "and losses and calibration here are of the rows as they are. --undo-class-weights, here and of\n"
      "predict, makes them chances of the rows as they are.\n",
      class_weights_text(class_weights));
}

void run(const Options& options) {
  const Stopwatch watch;
  ProgressBar bar("evaluate", options.common.show_progress());
  MetricsReport metrics;
  const std::vector<double> class_weights = trained_class_weights(options.model);
  const Device device = parse_devices(options.device).front();
  with_threads(options.common.threads, [&] {
    metrics = evaluate(options.model, options.datasets, bar.callback(), device, options.undo_class_weights);
  });
  bar.erase();
  const double seconds = watch.seconds();
  if (options.common.json) {
    Json object;
    object["rows"] = metrics.rows;
    set_speed(object, metrics.rows, seconds);
    set_metrics(object, metrics);
    object["class_weights"] = class_weights.empty() ? Json(nullptr) : Json(class_weights);
    print_json(object);
  } else {
    const std::string judgement = judgement_text(metrics, class_weights, options.undo_class_weights);
    write_standard_output(fmt::format("{}  ({})\n\n{}{}{}", count_text(metrics.rows, "row"),
                                      speed_text(metrics.rows, 0, seconds), metrics_text(metrics),
                                      judgement.empty() ? "" : "\n", judgement));
  }
}

}  // namespace

void add_evaluate_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command = program.add(
      "evaluate", "judge a model by datasets: log loss, AUC, accuracy, RMSE, calibration, each class",
      "# on a day that the model has not seen\n"
      "widehash evaluate clicks.model day2\n"
      "# on a week of days as one\n"
      "widehash evaluate clicks.model day2 day3 day4 day5 day6 day7 day8\n"
      "# one figure for a script\n"
      "widehash evaluate clicks.model day2 --json | jq .auc\n"
      "# the classes that a model finds less than half of\n"
      "widehash evaluate species.model day2 --json | jq '.classes[] | select(.support > 0 and .recall < "
      "0.5)'\n");
  add_operand(command.app, "MODEL", options->model, "model that `widehash train` wrote");
  add_operands(command.app, "DIR", options->datasets, 1,
               "datasets of the same schema, with labels; several are judged by as one");
  add_undo_class_weights(command.app, options->undo_class_weights);
  add_text(command.app, "--devices", options->device, "DEVICE", predict_device_help);
  add_work_options(command.app, options->common);
  command.run = [options] { run(*options); };
}

}  // namespace widehash::tools
