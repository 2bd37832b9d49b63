#include "bindings.hpp"
#include "job.hpp"
#include "text.hpp"

#include <widehash/column_table.hpp>
#include <widehash/inspect.hpp>
#include <widehash/table_inspector.hpp>

#include <optional>
#include <string>
#include <vector>

#include <pybind11/stl.h>

namespace widehash::python {
namespace {

py::dict field_dict(const FieldReport& field) {
  const bool is_numeric = field.type == "integer" || field.type == "number";
  py::list examples;
  for (const std::string& example : field.examples) examples.append(to_str(example));
  py::list texts_among_numbers;
  for (const std::string& text : field.texts_among_numbers) texts_among_numbers.append(to_str(text));
  py::dict dict;
  dict["name"] = to_str(field.name);
  dict["type"] = field.type;
  dict["missing"] = field.missing;
  dict["distinct"] = field.distinct;
  dict["distinct_is_exact"] = field.distinct_is_exact;
  dict["longest_bytes"] = field.longest_bytes;
  dict["texts_among_numbers"] = texts_among_numbers;
  dict["other_writing"] =
      field.other_writing.empty() ? py::object(py::none()) : py::object(to_str(field.other_writing));
  dict["minimum"] = is_numeric ? std::optional(field.minimum) : std::nullopt;
  dict["maximum"] = is_numeric ? std::optional(field.maximum) : std::nullopt;
  dict["label_explained"] = field.label_explained;
  dict["examples"] = examples;
  dict["is_nearly_unique"] = field.is_nearly_unique;
  return dict;
}

py::dict report_dict(const InspectReport& report) {
  py::list fields;
  for (const FieldReport& field : report.fields) fields.append(field_dict(field));
  py::list notes;
  for (const std::string& note : report.notes) notes.append(to_str(note));
  py::dict dict;
  dict["rows"] = report.rows;
  dict["rejected_rows"] = report.rejected_rows;
  dict["header"] = report.schema.header;
  dict["delimiter"] = to_str({&report.schema.delimiter, 1});
  dict["quote"] = to_str({&report.schema.quote, report.schema.quote == '\0' ? 0U : 1U});
  dict["cardinality_standard_error"] = report.cardinality_standard_error;
  dict["fields"] = fields;
  dict["notes"] = notes;
  dict["left_out"] = report.left_out;
  dict["schema"] = report.schema;
  dict["toml"] = to_str(report.schema_toml);
  return dict;
}

constexpr const char* stopped_text = "inspect: stopped as asked; start it again";

py::dict inspect_job(const std::vector<std::string>& inputs, std::optional<bool> header,
                     const std::optional<std::string>& delimiter, const std::optional<std::string>& quote,
                     const std::string& label, const std::string& weight, std::uint64_t max_rows,
                     std::size_t threads, const py::object& tell) {
  InspectOptions options{.inputs = inputs, .label = label, .weight = weight, .max_rows = max_rows};
  if (header) options.header = *header ? HeaderChoice::yes : HeaderChoice::no;
  options.delimiter = byte_of(delimiter);
  options.quote = byte_of(quote);
  InspectReport report;
  run_job(threads, tell, [&](Job& job) {
    options.stop = &job.stop();
    report = inspect(options, job.progress());
  });
  return report_dict(report);
}

py::dict inspect_tables(const std::vector<ColumnTable>& tables, const std::string& label,
                        const std::string& weight, std::uint64_t max_rows, std::size_t threads,
                        const py::object& tell) {
  InspectReport report;
  run_job(threads, tell, [&](Job& job) {
    const ProgressCallback progress = job.stoppable_progress(stopped_text);
    TableInspector inspector(label, max_rows, weight);
    Progress done;
    for (const ColumnTable& table : tables) {
      inspector.append(table);
      done.rows += table.num_rows();
      progress(done);
    }
    report = inspector.report();
  });
  return report_dict(report);
}

}  // namespace

void bind_inspect(py::module_& module) {
  module.def("inspect_job", &inspect_job);
  module.def("inspect_tables", &inspect_tables);
}

}  // namespace widehash::python
