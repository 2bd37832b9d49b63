#include "arrays.hpp"
#include "batch.hpp"
#include "metrics.hpp"
#include "no_gil.hpp"
#include "one_device.hpp"
#include "thread_count.hpp"

#include <widehash/column_table.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/predictor.hpp>
#include <widehash/table_evaluator.hpp>
#include <widehash/trained_class_weights.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

namespace widehash::python {
namespace {

/// Returns predictions of all rows, NaN for bad ones.
py::array_t<float> predict_tables(const Predictor& model, const std::vector<ColumnTable>& tables,
                                  std::size_t max_bad_rows, std::size_t threads) {
  std::vector<float> predictions;
  {
    const NoGil no_gil;
    std::size_t first_row = 0;
    std::size_t bad_rows = 0;
    for (const ColumnTable& table : tables) {
      std::vector<EncodeIssue> issues;
      std::vector<float> part;
      on_threads(threads, [&] { part = model.predict(table, issues); });
      if (bad_rows + issues.size() > max_bad_rows) throw_bad_row(first_row, issues[max_bad_rows - bad_rows]);
      bad_rows += issues.size();
      first_row += table.num_rows();
      predictions.insert(predictions.end(), part.begin(), part.end());
    }
  }
  return predictions_array(std::move(predictions), model.num_outputs());
}

/// Like predict_tables(), with the effects of the features.
py::dict explain_tables(const Predictor& model, const std::vector<ColumnTable>& tables,
                        std::optional<std::uint32_t> output, std::size_t max_bad_rows, std::size_t threads) {
  ExplainedRows all;
  {
    const NoGil no_gil;
    std::size_t first_row = 0;
    std::size_t bad_rows = 0;
    for (const ColumnTable& table : tables) {
      std::vector<EncodeIssue> issues;
      ExplainedRows part;
      on_threads(threads, [&] { part = model.explain(table, issues, output); });
      if (bad_rows + issues.size() > max_bad_rows) throw_bad_row(first_row, issues[max_bad_rows - bad_rows]);
      bad_rows += issues.size();
      first_row += table.num_rows();
      all.predictions.insert(all.predictions.end(), part.predictions.begin(), part.predictions.end());
      all.outputs.insert(all.outputs.end(), part.outputs.begin(), part.outputs.end());
      all.effects.insert(all.effects.end(), part.effects.begin(), part.effects.end());
    }
  }
  const RowEffects& effects = model.effects();
  std::vector<std::string> features;
  for (const std::size_t feature : effects.features())
    features.push_back(model.encoder().schema().features[feature].name);
  const auto rows = static_cast<py::ssize_t>(all.outputs.size());
  py::dict result;
  result["predictions"] = predictions_array(std::move(all.predictions), model.num_outputs());
  result["effects"] = array_of(std::move(all.effects), {rows, static_cast<py::ssize_t>(features.size())});
  result["outputs"] = array_of(std::move(all.outputs));
  result["base"] = array_of(effects.base());
  result["features"] = std::move(features);
  return result;
}

py::array_t<float> predict_batch(const Predictor& model, const Batch& batch, std::size_t threads) {
  if (!(batch.fingerprint == model.encoder().fingerprint())) {
    throw ConfigError(
        "the rows were encoded with another schema or other tables than the model was trained with");
  }
  std::vector<float> predictions;
  {
    const NoGil no_gil;
    on_threads(threads, [&] { predictions = model.predict(batch.in_layout(model.encoder().layout()).view); });
  }
  return predictions_array(std::move(predictions), model.num_outputs());
}

py::dict evaluate_tables(const Predictor& model, const std::vector<ColumnTable>& tables,
                         std::size_t max_bad_rows, const std::vector<std::string>& by,
                         std::uint64_t most_values, std::size_t threads) {
  EvaluateReport report;
  {
    const NoGil no_gil;
    on_threads(threads, [&] {
      TableEvaluator evaluator(model, max_bad_rows, by, most_values);
      for (const ColumnTable& table : tables) evaluator.append(table);
      report = evaluator.report();
    });
  }
  return evaluate_dict(report);
}

/// The fields that a prediction reads.
std::vector<std::string> feature_fields(const Predictor& model) {
  std::unordered_set<std::string_view> read;
  for (const Feature& feature : model.encoder().schema().features)
    if (feature.encoding != Encoding::ignore) read.insert(feature.fields.begin(), feature.fields.end());
  std::vector<std::string> fields;
  for (const std::string& field : model.encoder().field_names())
    if (read.contains(field)) fields.push_back(field);
  return fields;
}

}  // namespace

void bind_model(py::module_& module) {
  module.def("trained_class_weights", &trained_class_weights, py::call_guard<NoGil>());
  module.def("write_file", [](const std::string& path, const py::bytes& content) {
    const std::string_view bytes = content;
    const NoGil no_gil;
    write_text_file(path, bytes);
  });
  py::class_<Predictor>(module, "Predictor")
      .def(py::init([](const std::string& model, const std::string& tables, const std::string& device,
                       bool undo_class_weights) {
             return Predictor(model, tables, one_device(device), undo_class_weights);
           }),
           py::call_guard<NoGil>())
      .def_property_readonly("schema", [](const Predictor& model) { return model.encoder().schema(); })
      .def_property_readonly("fields", [](const Predictor& model) { return model.encoder().field_names(); })
      .def_property_readonly("feature_fields", &feature_fields)
      .def_property_readonly("checksum", &Predictor::checksum)
      .def_property_readonly("num_outputs", &Predictor::num_outputs)
      .def_property_readonly("hidden", [](const Predictor& model) { return model.architecture().hidden; })
      .def_property_readonly("loss",
                             [](const Predictor& model) { return to_string(model.architecture().loss); })
      .def("predict_tables", &predict_tables)
      .def("explain_tables", &explain_tables)
      .def("evaluate_tables", &evaluate_tables)
      .def("predict_batch", &predict_batch);
}

}  // namespace widehash::python
