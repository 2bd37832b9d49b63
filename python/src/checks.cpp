#include "bindings.hpp"
#include "job.hpp"
#include "text.hpp"

#include <widehash/audit.hpp>
#include <widehash/audit_verdict.hpp>
#include <widehash/dataset.hpp>
#include <widehash/fit.hpp>
#include <widehash/model.hpp>
#include <widehash/table_changes.hpp>
#include <widehash/table_set.hpp>
#include <widehash/written_kind.hpp>

#include <optional>
#include <string>
#include <vector>

#include <pybind11/stl.h>

namespace widehash::python {
namespace {

py::dict verify_job(const std::string& path, std::size_t threads, const py::object& tell) {
  const WrittenKind kind = written_kind(path);
  VerifyReport dataset;
  TableSet set;
  VerifyTablesReport tables;
  VerifyModelReport model;
  run_job(threads, tell, [&](Job& job) {
    const ProgressCallback progress = job.stoppable_progress("verify: stopped as asked; start it again");
    switch (kind) {
      case WrittenKind::dataset:
        dataset = verify_dataset(path, progress);
        return;
      case WrittenKind::tables:
        set = load_table_set(path);
        tables = verify_tables(set, progress);
        verify_fit_record(set);
        return;
      case WrittenKind::model:
        model = verify_model(path);
    }
  });
  using py::literals::operator""_a;
  switch (kind) {
    case WrittenKind::tables:
      return py::dict("kind"_a = "tables", "rows"_a = tables.rows, "tables"_a = tables.tables,
                      "values"_a = tables.values, "bytes"_a = tables.bytes);
    case WrittenKind::model:
      return py::dict("kind"_a = "model", "parameters"_a = model.parameters, "towers"_a = model.towers,
                      "epoch"_a = model.epoch, "bytes"_a = model.bytes);
    default:
      return py::dict("kind"_a = "dataset", "rows"_a = dataset.rows,
                      "rejected_rows"_a = dataset.rejected_rows,
                      "other_fold_rows"_a = dataset.other_fold_rows, "shards"_a = dataset.shards,
                      "bytes"_a = dataset.bytes);
  }
}

py::dict audit_dict(const FeatureAudit& audit) {
  py::list splits;
  for (int i = 0; i < audit.num_splits; ++i) {
    const SplitAudit& split = audit.splits[static_cast<std::size_t>(i)];
    py::dict dict;
    dict["used_buckets"] = split.used_buckets;
    dict["fullest_bucket"] = split.fullest_bucket;
    dict["sharing_pairs"] = split.sharing_pairs;
    dict["chi_square"] = split.chi_square;
    splits.append(dict);
  }
  py::list examples;
  for (const auto& group : audit.examples) {
    py::list values;
    for (const std::string& value : group) values.append(to_str(value));
    examples.append(values);
  }
  const Verdict verdict = judge(audit);
  py::dict dict;
  dict["feature"] = to_str(audit.feature);
  dict["num_values"] = audit.num_values;
  dict["head_values"] = audit.head_values;
  dict["cardinality"] = audit.cardinality;
  dict["width"] = audit.width;
  dict["load"] = audit.load;
  dict["modulo_bias"] = audit.modulo_bias;
  dict["expected_code_pairs"] = audit.expected_code_pairs;
  dict["code_pairs"] = audit.code_pairs;
  dict["colliding_values"] = audit.colliding_values;
  dict["free_directions"] = audit.free_directions;
  dict["expected_bucket_pairs"] = audit.expected_bucket_pairs;
  dict["bucket_pairs_deviation"] = audit.bucket_pairs_deviation;
  dict["expected_fullest_bucket"] = audit.expected_fullest_bucket;
  dict["splits"] = splits;
  dict["examples"] = examples;
  dict["is_fine"] = verdict.is_fine;
  dict["verdict"] = verdict.text;
  return dict;
}

py::list audit_job(const std::string& tables, std::uint64_t memory_bytes, std::size_t threads,
                   const py::object& tell) {
  std::vector<FeatureAudit> audits;
  run_job(threads, tell, [&](Job& job) {
    audits = audit_tables(load_table_set(tables), memory_bytes,
                          job.stoppable_progress("audit: stopped as asked; start it again"));
  });
  py::list list;
  for (const FeatureAudit& audit : audits) list.append(audit_dict(audit));
  return list;
}

py::dict change_dict(const FeatureChange& change) {
  const auto values_of = [](const std::vector<ValueChange>& values) {
    py::list list;
    for (const ValueChange& one : values) {
      py::dict dict;
      dict["value"] = to_str(one.value);
      dict["count_before"] = one.count_before;
      dict["count_now"] = one.count_now;
      list.append(dict);
    }
    return list;
  };
  const auto moments_of = [](const NumericMoments& moments) {
    py::dict dict;
    const bool is_known = moments.count > 0;
    dict["count"] = moments.count;
    dict["mean"] = is_known ? std::optional(moments.mean) : std::nullopt;
    dict["standard_deviation"] = is_known ? std::optional(moments.standard_deviation) : std::nullopt;
    return dict;
  };
  py::dict dict;
  dict["feature"] = to_str(change.feature);
  dict["missing_share_before"] = change.missing_share_before;
  dict["missing_share_now"] = change.missing_share_now;
  if (change.is_numeric) {
    dict["before"] = moments_of(change.moments_before);
    dict["now"] = moments_of(change.moments_now);
    dict["mean_shift"] = change.mean_shift();
    return dict;
  }
  dict["values_before"] = change.values_before;
  dict["values_now"] = change.values_now;
  dict["count_before"] = change.count_before;
  dict["count_now"] = change.count_now;
  dict["unseen_values"] = change.unseen_values;
  dict["unseen_share"] = change.unseen_share;
  dict["gone_values"] = change.gone_values;
  dict["gone_share"] = change.gone_share;
  dict["distance"] = change.distance;
  dict["unseen"] = values_of(change.unseen);
  dict["most_changed"] = values_of(change.most_changed);
  return dict;
}

py::list compare_job(const std::string& before, const std::string& now, std::size_t top, std::size_t threads,
                     const py::object& tell) {
  std::vector<FeatureChange> changes;
  run_job(threads, tell, [&](Job& job) {
    changes = table_changes(load_table_set(before), load_table_set(now), top,
                            job.stoppable_progress("compare: stopped as asked; start it again"));
  });
  py::list list;
  for (const FeatureChange& change : changes) list.append(change_dict(change));
  return list;
}

}  // namespace

void bind_checks(py::module_& module) {
  module.def("verify_job", &verify_job);
  module.def("audit_job", &audit_job);
  module.def("compare_job", &compare_job);
}

}  // namespace widehash::python
