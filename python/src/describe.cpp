#include "bindings.hpp"
#include "no_gil.hpp"
#include "text.hpp"

#include <widehash/dataset.hpp>
#include <widehash/fit.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/model.hpp>
#include <widehash/table_set.hpp>
#include <widehash/trained_class_weights.hpp>
#include <widehash/written_kind.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <pybind11/stl.h>

namespace widehash::python {
namespace {

py::object label_or_none(const Label& label) {
  if (label.field.empty()) return py::none();
  py::dict dict;
  dict["kind"] = to_string(label.kind);
  dict["field"] = to_str(label.field);
  dict["negative"] = to_strs(label.negative);
  dict["positive"] = to_strs(label.positive);
  dict["classes"] = to_strs(label.classes);
  return dict;
}

void set_schema(py::dict& dict, const Schema& schema) {
  py::list features;
  for (const Feature& feature : schema.features)
    if (feature.encoding != Encoding::ignore) features.append(to_str(feature.name));
  dict["label"] = label_or_none(schema.label);
  dict["weight"] = to_str_or_none(schema.weight);
  dict["features"] = features;
}

/// Sets the keys that come last for everything. `toml` is "" where the schema is not known.
void set_sources(py::dict& dict, const std::string& schema, const std::string& tables,
                 const std::string& toml) {
  dict["schema_fingerprint"] = schema;
  dict["tables_fingerprint"] = to_str_or_none(tables);
  dict["schema"] = to_str_or_none(toml);
}

void set_folds(py::dict& dict, const Folds& folds, std::uint64_t other_fold_rows) {
  dict["other_fold_rows"] = other_fold_rows;
  dict["folds"] = folds.take_all() ? std::nullopt : std::optional(to_text(folds));
  dict["fold_by"] = to_str_or_none(folds.by);
}

/// `optimizer` and `training` are the text of JSON objects.
py::dict describe_model(const std::string& path) {
  ModelHeader model;
  std::uint64_t bytes = 0;
  std::vector<double> class_weights;
  std::optional<Schema> schema;
  {
    const NoGil no_gil;
    model = read_model_header<float>(path);
    bytes = file_size_bytes(path);
    class_weights = trained_class_weights(path);
    if (!model.source.schema_toml.empty()) schema = parse_schema(model.source.schema_toml, path);
  }
  const Architecture& network = model.architecture;
  const TrainingPosition& position = model.position;
  const bool is_judged = std::isfinite(position.best_valid_loss);
  py::dict dict;
  dict["kind"] = "model";
  dict["bytes"] = bytes;
  dict["num_columns"] = network.num_columns;
  dict["hidden"] = network.hidden;
  dict["outputs"] = network.outputs;
  dict["activation"] = to_string(network.activation);
  dict["loss"] = to_string(network.loss);
  dict["parameters"] = num_parameters(network) * model.num_towers();
  dict["towers"] = model.num_towers();
  dict["optimizer"] = to_json(model.optimizer);
  dict["epoch"] = position.epoch;
  dict["batch"] = position.batch;
  dict["rows_seen"] = position.rows_seen;
  dict["seed"] = position.seed;
  dict["best_epoch"] = position.best_epoch;
  dict["best_valid_loss"] = is_judged ? std::optional(position.best_valid_loss) : std::nullopt;
  dict["class_weights"] = class_weights.empty() ? std::nullopt : std::optional(class_weights);
  dict["training"] = to_str(model.training);
  if (schema) set_schema(dict, *schema);
  set_sources(dict, model.source.schema_fingerprint, model.source.tables_fingerprint,
              model.source.schema_toml);
  return dict;
}

py::dict describe_dataset(const std::string& path) {
  std::optional<Dataset> dataset;
  std::string toml;
  {
    const NoGil no_gil;
    dataset.emplace(path);
    toml = read_text_file(in_folder(path, schema_name));
  }
  const Manifest& manifest = dataset->manifest();
  py::list inputs;
  for (const ManifestInput& input : manifest.inputs) {
    py::dict one;
    one["path"] = to_str(input.path);
    one["size_bytes"] = input.size_bytes;
    one["rows"] = input.rows;
    one["rejected_rows"] = input.rejected_rows;
    inputs.append(one);
  }
  py::dict dict;
  dict["kind"] = "dataset";
  dict["bytes"] = manifest.num_bytes();
  dict["rows"] = manifest.rows;
  dict["rejected_rows"] = manifest.rejected_rows;
  set_folds(dict, manifest.folds, manifest.other_fold_rows);
  dict["shards"] = manifest.shards.size();
  dict["num_columns"] = manifest.num_columns;
  dict["inputs"] = inputs;
  set_schema(dict, dataset->schema());
  set_sources(dict, manifest.schema_fingerprint, manifest.tables_fingerprint, toml);
  return dict;
}

py::dict describe_tables(const std::string& path) {
  TableSet set;
  TableSources sources;
  std::optional<Schema> schema;
  std::string toml;
  {
    const NoGil no_gil;
    set = load_table_set(path);
    sources = sources_of_tables(set.directory);
    schema = schema_of(set);
    if (schema) toml = read_text_file(in_folder(set.directory, schema_name));
  }
  py::dict values;
  for (const TableSet::Item& item : set.items)
    if (!item.file.empty()) values[to_str(item.feature)] = item.num_values;
  py::list inputs;
  for (const TableInput& input : sources.inputs) {
    py::dict one;
    one["path"] = to_str(input.path);
    one["size_bytes"] = input.size_bytes;
    inputs.append(one);
  }
  py::dict dict;
  dict["kind"] = "tables";
  dict["rows"] = set.rows;
  dict["values"] = values;
  dict["inputs"] = inputs;
  set_folds(dict, sources.folds, sources.other_fold_rows);
  if (schema) set_schema(dict, *schema);
  set_sources(dict, set.schema_fingerprint, set.fingerprint, toml);
  return dict;
}

py::dict describe(const std::string& path) {
  switch (written_kind(path)) {
    case WrittenKind::model:
      return describe_model(path);
    case WrittenKind::tables:
      return describe_tables(path);
    case WrittenKind::dataset:
      break;
  }
  return describe_dataset(path);
}

}  // namespace

void bind_describe(py::module_& module) { module.def("describe", &describe); }

}  // namespace widehash::python
