#include "bindings.hpp"
#include "job.hpp"
#include "text.hpp"

#include <widehash/fit.hpp>
#include <widehash/memory_budget.hpp>
#include <widehash/transform.hpp>

#include <optional>
#include <string>
#include <vector>

#include <pybind11/stl.h>

namespace widehash::python {
namespace {

using Inputs = std::vector<std::string>;

/// `schema` is a Schema, or the path of a schema file as bytes.
SchemaSource schema_source(const py::object& schema) {
  if (!py::isinstance<Schema>(schema)) return load_schema_source(schema.cast<std::string>());
  const auto& known = schema.cast<const Schema&>();
  return {known, to_toml(known)};
}

py::dict item_dict(const TableSet::Item& item) {
  const bool has_moments = item.moments.count > 0;
  py::dict dict;
  dict["feature"] = to_str(item.feature);
  dict["num_values"] = item.num_values;
  dict["file"] = to_str_or_none(item.file);
  dict["mean"] = has_moments ? std::optional(item.moments.mean) : std::nullopt;
  dict["standard_deviation"] = has_moments ? std::optional(item.moments.standard_deviation) : std::nullopt;
  return dict;
}

/// "" stands for all rows.
Folds read_folds(const std::string& text, const std::string& by) {
  Folds folds = text.empty() ? Folds() : parse_folds(text);
  folds.by = by;
  return folds;
}

py::dict fit_job(const py::object& schema, const Inputs& inputs, const std::string& output, const Inputs& add,
                 std::uint64_t max_bad_rows, bool allow_empty, const std::string& folds,
                 const std::string& fold_by, std::uint64_t memory_bytes, bool overwrite, std::size_t threads,
                 const py::object& tell) {
  const SchemaSource source = schema_source(schema);
  FitOptions options{inputs, output, max_bad_rows, memory_bytes, overwrite};
  options.add = add;
  options.folds = read_folds(folds, fold_by);
  options.allow_empty = allow_empty;
  FitReport report;
  run_job(threads, tell, [&](Job& job) {
    options.stop = &job.stop();
    report = fit(source, options, job.progress());
  });
  py::list features;
  for (const auto& item : report.tables.items) features.append(item_dict(item));
  py::dict dict;
  dict["rows"] = report.rows;
  dict["added_rows"] = report.added_rows;
  dict["skipped_inputs"] = report.skipped_inputs;
  dict["changed_inputs"] = to_strs(report.changed_inputs);
  dict["copied_inputs"] = to_strs(report.copied_inputs);
  dict["rejected_rows"] = report.rejected_rows;
  dict["other_fold_rows"] = report.other_fold_rows;
  dict["input_bytes"] = report.input_bytes;
  dict["text_bytes"] = report.text_bytes;
  dict["already_complete"] = report.already_complete;
  dict["spilled_runs"] = report.spilled_runs;
  dict["rejected_file"] = to_str_or_none(report.rejected_file);
  dict["tables_fingerprint"] = report.tables.fingerprint;
  dict["features"] = features;
  dict["is_main"] = report.is_main;
  return dict;
}

py::dict transform_job(const py::object& schema, const Inputs& inputs, const std::string& output,
                       const std::string& tables, std::uint64_t max_bad_rows, bool allow_empty,
                       const std::string& folds, const std::string& fold_by, std::uint64_t memory_bytes,
                       std::uint64_t block_bytes, bool overwrite, std::size_t threads,
                       const py::object& tell) {
  const SchemaSource source = schema_source(schema);
  TransformOptions options{inputs, output, tables, max_bad_rows, block_bytes, memory_bytes, overwrite};
  options.folds = read_folds(folds, fold_by);
  options.allow_empty = allow_empty;
  TransformReport report;
  run_job(threads, tell, [&](Job& job) {
    options.stop = &job.stop();
    report = transform(source, options, job.progress());
  });
  py::dict dict;
  dict["rows"] = report.rows;
  dict["rejected_rows"] = report.rejected_rows;
  dict["other_fold_rows"] = report.other_fold_rows;
  dict["shards"] = report.shards;
  dict["resumed_shards"] = report.resumed_shards;
  dict["resumed_rows"] = report.resumed_rows;
  dict["already_complete"] = report.already_complete;
  dict["num_columns"] = report.num_columns;
  dict["input_bytes"] = report.input_bytes;
  dict["text_bytes"] = report.text_bytes;
  dict["output_bytes"] = report.output_bytes;
  dict["rejected_file"] = to_str_or_none(report.rejected_file);
  dict["is_main"] = report.is_main;
  return dict;
}

}  // namespace

void bind_ingest(py::module_& module) {
  module.attr("default_memory_bytes") = default_memory_bytes;
  module.attr("default_block_bytes") = default_block_bytes;
  module.def("fit_job", &fit_job);
  module.def("transform_job", &transform_job);
}

}  // namespace widehash::python
