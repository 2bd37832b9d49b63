#include "metrics.hpp"

#include "arrays.hpp"
#include "text.hpp"

#include <optional>
#include <vector>

#include <pybind11/stl.h>

namespace widehash::python {
namespace py = pybind11;

namespace {

py::list classes_list(const std::vector<ClassMetrics>& classes) {
  py::list list;
  for (const ClassMetrics& one : classes) {
    py::dict dict;
    dict["name"] = to_str(one.name);
    dict["support"] = one.support;
    dict["predicted"] = one.predicted;
    dict["correct"] = one.correct;
    dict["precision"] = one.precision();
    dict["recall"] = one.recall();
    dict["f1"] = one.f1();
    list.append(dict);
  }
  return list;
}

py::list calibration_list(const std::vector<CalibrationBin>& bins) {
  py::list list;
  for (const CalibrationBin& bin : bins) {
    py::dict dict;
    dict["weight"] = bin.weight;
    dict["mean_prediction"] = bin.mean_prediction;
    dict["mean_target"] = bin.mean_target;
    list.append(dict);
  }
  return list;
}

py::list points_list(const std::vector<OperatingPoint>& points) {
  py::list list;
  for (const OperatingPoint& point : points) {
    py::dict dict;
    dict["threshold"] = point.threshold;
    dict["taken"] = point.taken;
    dict["positive"] = point.positive;
    dict["taken_share"] = point.taken_share;
    dict["precision"] = point.precision;
    dict["recall"] = point.recall;
    dict["lift"] = point.lift;
    list.append(dict);
  }
  return list;
}

/// Shape: [classes, classes]; None if it was not kept.
py::object confusion_or_none(const MetricsReport& metrics) {
  if (metrics.confusion.empty()) return py::none();
  const auto num_classes = static_cast<py::ssize_t>(metrics.classes.size());
  return array_of(metrics.confusion, {num_classes, num_classes});
}

/// The metrics that subsets of the rows have too.
py::dict figures_dict(const MetricsReport& metrics) {
  py::dict dict;
  dict["rows"] = metrics.rows;
  dict["weight"] = metrics.weight;
  dict["mean_prediction"] = metrics.mean_prediction;
  dict["mean_target"] = metrics.mean_target;
  dict["log_loss"] = metrics.log_loss;
  dict["constant_log_loss"] = metrics.constant_log_loss;
  dict["auc"] = metrics.auc;
  dict["auc_error_bound"] = metrics.auc ? std::optional(metrics.auc_error_bound) : std::nullopt;
  dict["loss_standard_error"] = metrics.loss_standard_error;
  dict["auc_standard_error"] = metrics.auc_standard_error;
  dict["bias_standard_error"] = metrics.bias_standard_error;
  dict["calibration_ratio_standard_error"] = metrics.calibration_ratio_standard_error;
  dict["average_precision"] = metrics.average_precision;
  dict["accuracy"] = metrics.accuracy;
  dict["macro_f1"] = metrics.macro.f1;
  dict["rmse"] = metrics.rmse;
  dict["constant_rmse"] = metrics.constant_rmse;
  dict["mae"] = metrics.mae;
  dict["r2"] = metrics.r2;
  dict["poisson_deviance"] = metrics.poisson_deviance;
  dict["constant_poisson_deviance"] = metrics.constant_poisson_deviance;
  dict["calibration_ratio"] = metrics.calibration_ratio;
  return dict;
}

}  // namespace

py::dict metrics_dict(const MetricsReport& metrics) {
  py::dict dict = figures_dict(metrics);
  dict["points"] = points_list(metrics.points);
  dict["auc_is_exact"] = metrics.auc ? std::optional(metrics.auc_is_exact) : std::nullopt;
  dict["positive_share"] = metrics.positive_share;
  dict["expected_calibration_error"] = metrics.expected_calibration_error;
  dict["calibration"] = calibration_list(metrics.calibration);
  dict["macro_precision"] = metrics.macro.precision;
  dict["macro_recall"] = metrics.macro.recall;
  dict["classes"] = classes_list(metrics.classes);
  dict["confusion"] = confusion_or_none(metrics);
  dict["is_worse_than_constant"] = metrics.is_worse_than_constant();
  return dict;
}

namespace {

py::list by_value_list(const std::vector<FieldMetrics>& by) {
  py::list list;
  for (const FieldMetrics& field : by) {
    py::list values;
    for (const ValueMetrics& one : field.values) {
      py::dict value = figures_dict(one.metrics);
      value["value"] = to_str(one.value);
      values.append(value);
    }
    py::dict dict;
    dict["field"] = to_str(field.field);
    dict["values"] = values;
    dict["others"] = field.others ? py::object(figures_dict(*field.others)) : py::none();
    list.append(dict);
  }
  return list;
}

}  // namespace

py::dict evaluate_dict(const EvaluateReport& report) {
  py::dict dict = metrics_dict(report.metrics);
  dict["rejected_rows"] = report.rejected_rows;
  dict["by"] = by_value_list(report.by);
  dict["against"] = py::none();
  if (report.against) {
    py::dict against;
    against["metrics"] = metrics_dict(report.against->metrics);
    against["difference"] = report.against->difference;
    against["standard_error"] = report.against->standard_error;
    dict["against"] = against;
  }
  return dict;
}

}  // namespace widehash::python
