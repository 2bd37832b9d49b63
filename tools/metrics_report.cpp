#include "class_report.hpp"
#include "report.hpp"
#include "text.hpp"
#include "text_table.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace widehash::tools {
namespace {

/// A figure, if there is one, with its standard error.
struct Figure {
  const std::optional<double>& value;
  std::optional<double> error = {};
};

void add_metric(TextTable& table, const char* name, const Figure& figure, const std::string& note = "") {
  if (!figure.value) return;
  table.add({name, fmt::format("{:.6g}", *figure.value),
             figure.error ? fmt::format("+-{:.2g}", *figure.error) : "", note});
}

std::string auc_note(const MetricsReport& metrics) {
  return metrics.auc_is_exact ? "" : fmt::format("within {:.1g}", metrics.auc_error_bound);
}

std::string constant_note(const std::optional<double>& constant) {
  return constant ? fmt::format("of the best constant {:.6g}", *constant) : "";
}

std::string most_frequent_note(const MetricsReport& metrics) {
  double share = 0;
  if (metrics.positive_share) {
    share = std::max(*metrics.positive_share, 1 - *metrics.positive_share);
  } else {
    for (const ClassMetrics& one : metrics.classes) share = std::max(share, one.support / metrics.weight);
  }
  return share > 0 ? fmt::format("of the most frequent class {:.6g}", share) : "";
}

}  // namespace

void set_figures(Json& object, const MetricsReport& metrics) {
  object["weight"] = metrics.weight;
  object["mean_prediction"] = number_or_null(metrics.mean_prediction);
  object["mean_target"] = number_or_null(metrics.mean_target);
  object["log_loss"] = number_or_null(metrics.log_loss);
  object["constant_log_loss"] = number_or_null(metrics.constant_log_loss);
  object["auc"] = number_or_null(metrics.auc);
  object["auc_error_bound"] = metrics.auc ? Json(metrics.auc_error_bound) : Json(nullptr);
  object["loss_standard_error"] = number_or_null(metrics.loss_standard_error);
  object["auc_standard_error"] = number_or_null(metrics.auc_standard_error);
  object["bias_standard_error"] = number_or_null(metrics.bias_standard_error);
  object["calibration_ratio_standard_error"] = number_or_null(metrics.calibration_ratio_standard_error);
  object["average_precision"] = number_or_null(metrics.average_precision);
  object["accuracy"] = number_or_null(metrics.accuracy);
  object["macro_f1"] = number_or_null(metrics.macro.f1);
  object["rmse"] = number_or_null(metrics.rmse);
  object["constant_rmse"] = number_or_null(metrics.constant_rmse);
  object["mae"] = number_or_null(metrics.mae);
  object["r2"] = number_or_null(metrics.r2);
  object["poisson_deviance"] = number_or_null(metrics.poisson_deviance);
  object["constant_poisson_deviance"] = number_or_null(metrics.constant_poisson_deviance);
  object["calibration_ratio"] = number_or_null(metrics.calibration_ratio);
}

void set_metrics(Json& object, const MetricsReport& metrics) {
  set_figures(object, metrics);
  object["auc_is_exact"] = metrics.auc ? Json(metrics.auc_is_exact) : Json(nullptr);
  object["positive_share"] = number_or_null(metrics.positive_share);
  object["expected_calibration_error"] = number_or_null(metrics.expected_calibration_error);
  object["calibration"] = Json::array();
  for (const auto& bin : metrics.calibration) {
    object["calibration"].push_back(
        {{"weight", bin.weight}, {"mean_prediction", bin.mean_prediction}, {"mean_target", bin.mean_target}});
  }
  object["points"] = Json::array();
  for (const OperatingPoint& point : metrics.points) {
    object["points"].push_back({{"threshold", point.threshold},
                                {"taken", point.taken},
                                {"positive", point.positive},
                                {"taken_share", point.taken_share},
                                {"precision", point.precision},
                                {"recall", point.recall},
                                {"lift", point.lift}});
  }
  set_classes(object, metrics);
}

namespace {

std::string points_text(const MetricsReport& metrics) {
  if (metrics.points.empty()) return {};
  TextTable table("rrrrrr");
  table.add({"taken", "from", "precision", "recall", "lift", "weight"});
  for (const OperatingPoint& point : metrics.points) {
    table.add({fmt::format("{:.3g} %", 100 * point.taken_share),
               fmt::format("{}", static_cast<float>(point.threshold)), fmt::format("{:.4f}", point.precision),
               fmt::format("{:.4f}", point.recall), fmt::format("{:.3g}", point.lift),
               estimate_text(point.taken)});
  }
  return '\n' + table.text();
}

std::string bins_text(const MetricsReport& metrics) {
  if (metrics.calibration.empty()) return {};
  TextTable table("rrr");
  table.add({"predicted", "observed", "weight"});
  // Four decimals for probabilities; numbers and counts may be of any size.
  const auto shown = [&](double mean) {
    return metrics.auc || metrics.positive_share ? fmt::format("{:.4f}", mean) : fmt::format("{:.5g}", mean);
  };
  for (const auto& bin : metrics.calibration)
    table.add({shown(bin.mean_prediction), shown(bin.mean_target), estimate_text(bin.weight)});
  return '\n' + table.text();
}

}  // namespace

std::string metrics_text(const MetricsReport& metrics) {
  const JudgedBy judged = judged_by(metrics);
  const auto figure = [&](std::optional<double> MetricsReport::*value) {
    return Figure{metrics.*value, value == judged.value ? metrics.loss_standard_error : std::nullopt};
  };
  TextTable table("llll");
  add_metric(table, "log loss", figure(&MetricsReport::log_loss), constant_note(metrics.constant_log_loss));
  add_metric(table, "AUC", {metrics.auc, metrics.auc_standard_error}, auc_note(metrics));
  add_metric(table, "average precision", {metrics.average_precision},
             fmt::format("of guessing {:.6g}", metrics.positive_share.value_or(0)));
  add_metric(table, "accuracy", {metrics.accuracy}, most_frequent_note(metrics));
  add_metric(table, "macro F1", {metrics.macro.f1}, "mean of the classes");
  add_metric(table, "Poisson deviance", figure(&MetricsReport::poisson_deviance),
             constant_note(metrics.constant_poisson_deviance));
  add_metric(table, "RMSE", figure(&MetricsReport::rmse), constant_note(metrics.constant_rmse));
  add_metric(table, "R2", {metrics.r2}, "share of the squares that is explained");
  add_metric(table, "MAE", {metrics.mae}, "mean absolute error");
  if (metrics.poisson_deviance || metrics.r2)
    add_metric(table, "mean prediction", {metrics.mean_prediction, metrics.bias_standard_error},
               fmt::format("of the targets {:.6g}", metrics.mean_target.value_or(0)));
  add_metric(table, "calibration ratio",
             {metrics.calibration_ratio, metrics.calibration_ratio_standard_error},
             "sum of predictions / sum of targets");
  add_metric(table, "calibration error", {metrics.expected_calibration_error},
             "expected, over the bins below");
  std::string text = table.text();
  if (metrics.loss_standard_error)
    text += "(+- one standard error; chance moves a figure by two of them at times)\n";
  if (!metrics.classes.empty()) text += '\n' + classes_text(metrics);
  return text + bins_text(metrics) + points_text(metrics);
}

std::string nothing_to_undo_text(const std::string& model) {
  return printable(model) + ": was trained without class weights, so --undo-class-weights changes nothing";
}

std::string class_weights_text(const std::vector<double>& weights) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t k = 0; k < std::min(most, weights.size()); ++k)
    text += fmt::format("{}{:.4g}", k == 0 ? "" : ", ", weights[k]);
  return weights.size() > most ? text + ", ..." : text;
}

std::string constant_text(const MetricsReport& metrics) {
  if (!metrics.is_worse_than_constant()) return {};
  const JudgedBy figure = judged_by(metrics);
  return fmt::format("The model is worse than a constant: {} {:.6g}, against {:.6g} for the best constant.\n",
                     figure.name, *(metrics.*figure.value), *(metrics.*figure.constant));
}

std::string advice_text() {
  return "The learning rate may be wrong (try half of --lr, or an eighth), there may be too few steps\n"
         "(more --epochs), or rows are learned by heart (fewer --epochs, --early-stop, --l2). Numeric\n"
         "features much larger or smaller than 1 do it too, if there are any: transform = \"standardize\"\n"
         "in the schema.\n";
}

}  // namespace widehash::tools
