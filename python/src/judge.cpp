#include "arrays.hpp"
#include "bindings.hpp"
#include "job.hpp"
#include "metrics.hpp"
#include "one_device.hpp"
#include "text.hpp"

#include <widehash/evaluate.hpp>
#include <widehash/explain.hpp>
#include <widehash/internal/read_places.hpp>
#include <widehash/predict.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pybind11/stl.h>

namespace widehash::python {
namespace {

using Kind = FeatureEffects::Kind;

py::dict evaluate_job(const std::string& model, const std::vector<std::string>& inputs,
                      const std::string& tables, const std::string& device, std::optional<bool> header,
                      const std::optional<std::string>& delimiter, const std::optional<std::string>& quote,
                      std::uint64_t max_bad_rows, bool undo_class_weights, bool allow_empty,
                      const std::vector<std::string>& by, const std::string& against,
                      std::uint64_t most_values, std::size_t threads, const py::object& tell) {
  EvaluateOptions options{.model = model,
                          .inputs = inputs,
                          .tables_directory = tables,
                          .device = one_device(device),
                          .undo_class_weights = undo_class_weights,
                          .max_bad_rows = max_bad_rows,
                          .text_form = {byte_of(delimiter), byte_of(quote), header},
                          .allow_empty = allow_empty,
                          .by = by,
                          .against = against,
                          .most_values = most_values};
  EvaluateReport report;
  run_job(threads, tell, [&](Job& job) {
    options.stop = &job.stop();
    report = evaluate(options, job.progress());
  });
  return evaluate_dict(report);
}

py::array_t<float> predict_job(const std::string& model, const std::vector<std::string>& inputs,
                               const std::string& tables, const std::string& device,
                               std::optional<bool> header, const std::optional<std::string>& delimiter,
                               const std::optional<std::string>& quote, std::uint64_t max_bad_rows,
                               bool undo_class_weights, bool allow_empty, const std::string& rejected,
                               std::size_t threads, const py::object& tell) {
  PredictOptions options{.model = model,
                         .inputs = inputs,
                         .tables_directory = tables,
                         .device = one_device(device),
                         .max_bad_rows = max_bad_rows,
                         .rejected_path = rejected,
                         .text_form = {byte_of(delimiter), byte_of(quote), header},
                         .undo_class_weights = undo_class_weights,
                         .allow_empty = allow_empty};
  PredictReport report;
  std::vector<float> predictions;
  run_job(threads, tell, [&](Job& job) {
    options.stop = &job.stop();
    report = predict(
        options,
        [&](std::span<const float> rows) { predictions.insert(predictions.end(), rows.begin(), rows.end()); },
        job.progress());
  });
  return predictions_array(std::move(predictions), report.outputs);
}

py::list effects_list(const std::vector<ValueEffect>& effects, Kind kind) {
  py::list list;
  for (const ValueEffect& effect : effects) {
    py::dict dict;
    dict["value"] = to_str(effect.value);
    dict["count"] = kind == Kind::intervals ? std::nullopt : std::optional(effect.count);
    dict["effect"] = effect.effect;
    list.append(dict);
  }
  return list;
}

py::dict feature_dict(const FeatureEffects& feature) {
  py::dict dict;
  dict["feature"] = to_str(feature.feature);
  dict["kind"] = to_string(feature.kind);
  dict["spread"] = feature.spread;
  if (feature.kind == Kind::number) {
    dict["transform"] = to_string(feature.transform);
    dict["per_unit"] = feature.per_unit;
    dict["mean"] = feature.moments.mean;
    dict["standard_deviation"] = feature.moments.standard_deviation;
    return dict;
  }
  dict["num_values"] = feature.num_values;
  dict["highest"] = effects_list(feature.highest, feature.kind);
  dict["lowest"] = effects_list(feature.lowest, feature.kind);
  return dict;
}

py::list explain_job(const std::string& model, const std::string& tables, std::uint64_t top,
                     std::uint64_t min_count, std::uint64_t output, std::size_t threads) {
  std::vector<FeatureEffects> features;
  run_job(threads, py::none(), [&](Job& job) {
    features = explain({model, tables, top, min_count}, output,
                       job.stoppable_progress("explain: stopped as asked; start it again"));
  });
  py::list list;
  for (const FeatureEffects& feature : features) list.append(feature_dict(feature));
  return list;
}

}  // namespace

void bind_judge(py::module_& module) {
  module.def("evaluate_job", &evaluate_job);
  module.def("predict_job", &predict_job);
  module.def("explain_job", &explain_job);
}

}  // namespace widehash::python
