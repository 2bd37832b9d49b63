#include "metrics.hpp"

#include <optional>

#include <pybind11/stl.h>

namespace widehash::python {
namespace py = pybind11;

py::dict metrics_dict(const MetricsReport& metrics) {
  py::list calibration;
  for (const CalibrationBin& bin : metrics.calibration) {
    py::dict dict;
    dict["weight"] = bin.weight;
    dict["mean_prediction"] = bin.mean_prediction;
    dict["mean_target"] = bin.mean_target;
    calibration.append(dict);
  }
  py::dict dict;
  dict["rows"] = metrics.rows;
  dict["weight"] = metrics.weight;
  dict["log_loss"] = metrics.log_loss;
  dict["auc"] = metrics.auc;
  dict["auc_is_exact"] = metrics.auc ? std::optional(metrics.auc_is_exact) : std::nullopt;
  dict["auc_error_bound"] = metrics.auc ? std::optional(metrics.auc_error_bound) : std::nullopt;
  dict["average_precision"] = metrics.average_precision;
  dict["positive_share"] = metrics.positive_share;
  dict["accuracy"] = metrics.accuracy;
  dict["rmse"] = metrics.rmse;
  dict["constant_log_loss"] = metrics.constant_log_loss;
  dict["constant_rmse"] = metrics.constant_rmse;
  dict["calibration_ratio"] = metrics.calibration_ratio;
  dict["expected_calibration_error"] = metrics.expected_calibration_error;
  dict["calibration"] = calibration;
  dict["is_worse_than_constant"] = metrics.is_worse_than_constant();
  return dict;
}

}  // namespace widehash::python
