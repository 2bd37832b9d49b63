#include "train_report.hpp"

#include "text.hpp"
#include "text_table.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace widehash::tools {
namespace {

double rows_per_second(const EpochReport& epoch) {
  return epoch.seconds > 0 ? static_cast<double>(epoch.rows_this_run) / epoch.seconds : 0;
}

void set_valid(Json& object, const std::optional<MetricsReport>& valid) {
  object["valid_log_loss"] = valid ? number_or_null(valid->log_loss) : Json(nullptr);
  object["valid_auc"] = valid ? number_or_null(valid->auc) : Json(nullptr);
  object["valid_rmse"] = valid ? number_or_null(valid->rmse) : Json(nullptr);
  object["valid_poisson_deviance"] = valid ? number_or_null(valid->poisson_deviance) : Json(nullptr);
}

Json epoch_json(const EpochReport& epoch) {
  Json object;
  object["epoch"] = epoch.epoch;
  object["train_loss"] = epoch.train_loss;
  set_valid(object, epoch.valid);
  object["rows"] = epoch.rows;
  object["rows_this_run"] = epoch.rows_this_run;
  object["seconds"] = epoch.seconds;
  object["rows_per_second"] = rows_per_second(epoch);
  return object;
}

/// Returns the epoch whose parameters the model holds; null if this run trained none.
const EpochReport* kept_epoch(const TrainReport& report) {
  for (const auto& epoch : report.epochs) {
    if (epoch.epoch == report.best_epoch) return &epoch;
  }
  return nullptr;
}

Json parallel_json(const ParallelSettings& settings, const TrainReport& report) {
  Json object;
  object["mode"] = to_string(settings.mode);
  const bool is_tower = settings.mode == ParallelMode::tower;
  object["mix"] = is_tower ? Json(to_string(settings.mix)) : Json(nullptr);
  object["mix_every"] =
      is_tower && settings.mix == Mix::parameters ? Json(settings.mix_every) : Json(nullptr);
  object["efficiency"] = report.efficiency;
  object["devices"] = Json::array();
  for (const DeviceReport& device : report.devices) {
    Json entry;
    entry["rank"] = device.rank;
    entry["device"] = device.device;
    entry["seconds"] = device.seconds;
    for (std::size_t i = 0; i < num_activities; ++i)
      entry[std::string(to_string(static_cast<Activity>(i))) + "_share"] = device.shares[i];
    entry["bytes_sent"] = device.bytes_sent;
    entry["bytes_sent_to_other_hosts"] = device.bytes_sent_to_other_hosts;
    object["devices"].push_back(entry);
  }
  return object;
}

/// Losses of probabilities get six decimals; squared errors may be of any size.
std::string loss_text(double loss) {
  return loss >= 1e-3 && loss < 1e3 ? fmt::format("{:.6f}", loss) : fmt::format("{:.6g}", loss);
}

std::string valid_text(const MetricsReport& valid) {
  std::string text;
  if (valid.log_loss) text += fmt::format("  valid log loss {:.6f}", *valid.log_loss);
  if (valid.auc) text += fmt::format("  AUC {:.5f}", *valid.auc);
  if (valid.poisson_deviance) text += fmt::format("  valid Poisson deviance {:.6g}", *valid.poisson_deviance);
  if (!valid.log_loss && valid.rmse) text += fmt::format("  valid RMSE {:.6g}", *valid.rmse);
  return text;
}

/// "3, data parallel  (reading and computing 93% of their time; up to 12.3 MB sent by each)".
std::string devices_text(const ParallelSettings& settings, const TrainReport& report) {
  std::uint64_t most_sent = 0;
  for (const DeviceReport& device : report.devices) most_sent = std::max(most_sent, device.bytes_sent);
  const std::string mix =
      settings.mode == ParallelMode::tower ? fmt::format(", mixing {}", to_string(settings.mix)) : "";
  return fmt::format(
      "{}, {} parallel{}  (reading and computing {:.0f}% of their time; up to {} sent by each)",
      report.devices.size(), to_string(settings.mode), mix, 100 * report.efficiency, bytes_text(most_sent));
}

/// "1.1 of 2 on average: with more, steps were slower"; "" where most rows had all threads.
std::string threads_text(const TrainReport& report) {
  constexpr double nearly_all = 0.8;
  if (report.mean_threads > nearly_all * static_cast<double>(report.threads)) return {};
  return fmt::format("{:.1f} of {} on average: with more, steps were slower", report.mean_threads,
                     report.threads);
}

/// Returns metrics that this run has of the rows of --valid; null if it evaluated nothing.
const MetricsReport* any_valid(const TrainReport& report) {
  for (const auto& epoch : report.epochs)
    if (epoch.valid) return &*epoch.valid;
  return report.start ? &*report.start : nullptr;
}

/// Says that no epoch was better than the model it started from; otherwise "".
std::string start_text(const TrainReport& report, const TrainOptions& options) {
  const bool both = std::isfinite(report.start_valid_loss) && std::isfinite(report.best_valid_loss);
  if (!both || report.best_valid_loss <= report.start_valid_loss) return {};
  const MetricsReport* const valid = any_valid(report);
  return fmt::format(
      "No epoch did better on the rows of --valid than {}: {} {:.6g}, before {:.6g}.\n"
      "If its rows are like those of the first training, a smaller --lr or fewer epochs may help.\n",
      printable(options.from), valid == nullptr ? "loss" : judged_by(*valid).name, report.best_valid_loss,
      report.start_valid_loss);
}

/// Says that the kept model is worse than a constant, even if it was an earlier run that evaluated it on the
/// rows that this run evaluates on; otherwise "".
std::string kept_text(const TrainReport& report) {
  const std::optional<MetricsReport> kept = kept_metrics(report);
  const std::string text = kept ? constant_text(*kept) : "";
  return text.empty() ? text : text + advice_text();
}

/// The training loss, if nothing else says anything about the model and if the loss is bad news; otherwise
/// "".
std::string loss_without_judge(const TrainReport& report) {
  const EpochReport* const kept = kept_epoch(report);
  if (report.epochs.empty() || (kept != nullptr && kept->valid)) return {};
  const double loss = report.epochs.back().train_loss;
  if (loss <= report.loss_of_guessing) return {};
  return fmt::format("{:.6g}, against {:.6g} for guessing", loss, report.loss_of_guessing);
}

std::string astray_text(const TrainReport& report) {
  if (!is_astray(report)) return {};
  return fmt::format("The training has gone astray: its loss is {}.\n{}", loss_without_judge(report),
                     advice_text());
}

std::string doubt_text(const TrainReport& report) {
  const std::string losses = loss_without_judge(report);
  // With a single label, one_label_text() says what is wrong.
  if (losses.empty() || report.only_target || is_astray(report)) return {};
  return fmt::format(
      "The training loss is {}. Losses are taken before each step, so\n"
      "the first steps can cause that where rows are few: --valid shows what the model is worth.\n",
      losses);
}

/// Says that a dataset was named both to learn from and to judge by; otherwise "". own_input_text() handles
/// an input that two datasets were made from.
std::string own_dataset_text(const TrainReport& report, const TrainOptions& options) {
  if (std::ranges::find(options.valid, report.own_rows) == options.valid.end()) return {};
  return fmt::format("{} is used both to train and to judge: that says nothing about rows not seen before.\n",
                     printable(report.own_rows));
}

std::string one_label_text(const TrainReport& report) {
  if (!report.only_target) return {};
  return fmt::format(
      "All rows that count have the same label ({:g} as a number): there is nothing to learn. Check the\n"
      "label in the schema, and which rows were left out.\n",
      *report.only_target);
}

Json label_shift_json(const std::optional<LabelShift>& shift) {
  if (!shift) return nullptr;
  const auto moments = [](const TargetUnits& units) {
    return Json{{"mean", units.shift}, {"standard_deviation", units.scale}};
  };
  return {{"before", moments(shift->before)}, {"now", moments(shift->now)}};
}

std::string label_shift_text(const TrainReport& report, const TrainOptions& options) {
  if (!report.label_shift) return {};
  const auto& [before, now] = *report.label_shift;
  return fmt::format(
      "The labels have a mean of {:.4g} and a deviation of {:.4g}; {} was trained with {:.4g} and {:.4g}.\n"
      "If they are in other units, convert them to those of the model, or train again without --from.\n",
      now.shift, now.scale, printable(options.from), before.shift, before.scale);
}

std::string own_input_text(const TrainReport& report, const TrainOptions& options) {
  if (report.own_rows.empty() || !own_dataset_text(report, options).empty()) return {};
  return fmt::format(
      "Rows of {} are used both to train and to judge, in two datasets: that says nothing about rows\n"
      "not seen before. Use separate folds: --folds 1-9/10 and 10/10, with the same --fold-by.\n",
      printable(report.own_rows));
}

std::string repeated_text(const TrainReport& report) {
  if (report.repeated_rows.empty()) return {};
  return fmt::format("Rows of {} are in two of the datasets, and count twice.\n",
                     printable(report.repeated_rows));
}

}  // namespace

Json report_json(const TrainReport& report, const TrainOptions& options, double seconds) {
  Json object;
  object["rows"] = report.rows;
  set_speed(object, report.rows, seconds);
  const EpochReport* kept = kept_epoch(report);
  object["train_loss"] = kept != nullptr ? Json(kept->train_loss) : Json(nullptr);
  const Json kept_json = kept != nullptr ? epoch_json(*kept) : Json::object();
  object["log_loss"] = kept_json.value("valid_log_loss", Json(nullptr));
  object["auc"] = kept_json.value("valid_auc", Json(nullptr));
  object["rmse"] = kept_json.value("valid_rmse", Json(nullptr));
  object["poisson_deviance"] = kept_json.value("valid_poisson_deviance", Json(nullptr));
  const MetricsReport judged = kept != nullptr ? kept->valid.value_or(MetricsReport()) : MetricsReport();
  object["average_precision"] = number_or_null(judged.average_precision);
  object["positive_share"] = number_or_null(judged.positive_share);
  object["constant_log_loss"] = number_or_null(judged.constant_log_loss);
  object["constant_rmse"] = number_or_null(judged.constant_rmse);
  object["constant_poisson_deviance"] = number_or_null(judged.constant_poisson_deviance);
  object["loss_of_guessing"] = report.loss_of_guessing;
  const std::optional<MetricsReport> kept_model = kept_metrics(report);
  object["is_worse_than_constant"] = kept_model ? Json(kept_model->is_worse_than_constant()) : Json(nullptr);
  object["is_astray"] = is_astray(report);
  object["own_rows"] = report.own_rows.empty() ? Json(nullptr) : Json(report.own_rows);
  object["repeated_rows"] = report.repeated_rows.empty() ? Json(nullptr) : Json(report.repeated_rows);
  object["only_target"] = report.only_target ? Json(*report.only_target) : Json(nullptr);
  object["label_shift"] = label_shift_json(report.label_shift);
  object["class_weights"] = report.class_weights.empty() ? Json(nullptr) : Json(report.class_weights);
  object["epochs"] = Json::array();
  for (const auto& epoch : report.epochs) object["epochs"].push_back(epoch_json(epoch));
  object["batch_size"] = options.batch_size;
  object["best_epoch"] = report.best_epoch;
  object["best_valid_loss"] =
      std::isfinite(report.best_valid_loss) ? Json(report.best_valid_loss) : Json(nullptr);
  object["start_valid_loss"] =
      std::isfinite(report.start_valid_loss) ? Json(report.start_valid_loss) : Json(nullptr);
  object["stopped_early"] = report.stopped_early;
  object["num_columns"] = report.num_columns;
  object["num_parameters"] = report.num_parameters;
  object["optimizer"] = Json::parse(to_json(report.optimizer));
  object["optimizer"]["decay_start"] = report.optimizer.decay_start;
  object["optimizer"]["mean_weight"] = report.optimizer.mean_weight;
  object["from"] = options.from.empty() ? Json(nullptr) : Json(options.from);
  object["kept_state"] = options.from.empty() ? Json(nullptr) : Json(report.kept_state);
  object["start"] = Json(nullptr);
  if (report.start) set_valid(object["start"], report.start);
  object["parallel"] = parallel_json(options.parallel, report);
  object["threads"] = report.threads;
  object["mean_threads"] = report.mean_threads;
  object["model"] = options.model;
  object["peak_memory_bytes"] = peak_memory_bytes();
  return object;
}

std::string epoch_text(const EpochReport& epoch, std::uint64_t epochs) {
  if (epoch.epoch == 0) return fmt::format("as it starts{}\n", valid_text(*epoch.valid));
  std::string text =
      fmt::format("epoch {}/{}  train loss {}", epoch.epoch, epochs, loss_text(epoch.train_loss));
  if (epoch.valid) text += valid_text(*epoch.valid);
  return text + "  " + speed_text(epoch.rows_this_run, 0, epoch.seconds) + '\n';
}

std::string judgement_text(const TrainReport& report, const TrainOptions& options) {
  return one_label_text(report) + label_shift_text(report, options) + start_text(report, options) +
         own_input_text(report, options) + repeated_text(report) +
         (std::isfinite(report.best_valid_loss) ? kept_text(report) : astray_text(report));
}

std::string report_text(const TrainReport& report, const TrainOptions& options, double seconds) {
  const char* why = report.stopped_early ? ", stopped early" : "";
  TextTable table("ll");
  table.add({"model", options.valid.empty() || report.best_epoch == 0
                          ? printable(options.model)
                          : fmt::format("{}  (epoch {} was best{})", printable(options.model),
                                        report.best_epoch, why)});
  if (!options.from.empty()) {
    table.add(
        {"started from", fmt::format("{}  ({} {})", printable(options.from),
                                     report.kept_state ? "and the state of its" : "with a fresh state of",
                                     to_string(report.optimizer.kind))});
  }
  if (!report.class_weights.empty()) table.add({"class weights", class_weights_text(report.class_weights)});
  table.add({"columns", count_text(report.num_columns)});
  table.add({"parameters", count_text(report.num_parameters)});
  table.add({"rows", report.epochs.empty() && report.rows == 0 ? "0  (nothing was left to do)"
                                                               : count_text(report.rows)});
  table.add({"time", speed_text(report.rows, 0, seconds)});
  if (const std::string threads = threads_text(report); !threads.empty()) table.add({"threads", threads});
  table.add({"peak memory", bytes_text(peak_memory_bytes())});
  if (report.devices.size() > 1) table.add({"devices", devices_text(options.parallel, report)});
  const std::string judgement =
      judgement_text(report, options) + doubt_text(report) + own_dataset_text(report, options);
  return table.text() + (judgement.empty() ? "" : '\n' + judgement);
}

}  // namespace widehash::tools
