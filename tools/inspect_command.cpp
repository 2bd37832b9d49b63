#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "progress_bar.hpp"
#include "report.hpp"
#include "schema_report.hpp"
#include "stop_signals.hpp"
#include "text.hpp"
#include "text_table.hpp"

#include <widehash/error.hpp>
#include <widehash/inspect.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/internal/read_places.hpp>
#include <widehash/threads.hpp>

#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace widehash::tools {
namespace {

struct Options {
  InspectOptions inspect;
  std::string header = "auto";
  std::string output;
  bool overwrite = false;
  CommonOptions common;
};

HeaderChoice header_choice(const std::string& text) {
  return text == "yes" ? HeaderChoice::yes : text == "no" ? HeaderChoice::no : HeaderChoice::automatic;
}

bool is_numeric(const FieldReport& field) { return field.type == "integer" || field.type == "number"; }

Json report_json(const InspectReport& report, const std::string& output, double seconds) {
  Json object;
  object["rows"] = report.rows;
  object["rejected_rows"] = report.rejected_rows;
  set_speed(object, report.rows, seconds);
  object["header"] = report.schema.header;
  object["delimiter"] = std::string(1, report.schema.delimiter);
  object["quote"] = report.schema.quote == '\0' ? "" : std::string(1, report.schema.quote);
  object["cardinality_standard_error"] = report.cardinality_standard_error;
  object["fields"] = Json::array();
  for (const auto& field : report.fields) {
    Json item;
    set_value(item, "name", field.name);
    item["type"] = field.type;
    item["missing"] = field.missing;
    item["distinct"] = field.distinct;
    item["distinct_is_exact"] = field.distinct_is_exact;
    item["longest_bytes"] = field.longest_bytes;
    item["texts_among_numbers"] = field.texts_among_numbers;
    item["other_writing"] = field.other_writing.empty() ? Json(nullptr) : Json(field.other_writing);
    item["minimum"] = is_numeric(field) ? Json(field.minimum) : Json(nullptr);
    item["maximum"] = is_numeric(field) ? Json(field.maximum) : Json(nullptr);
    item["label_explained"] = number_or_null(field.label_explained);
    item["examples"] = field.examples;
    item["is_nearly_unique"] = field.is_nearly_unique;
    object["fields"].push_back(item);
  }
  object["label"] = label_json(report.schema.label);
  set_weight(object, report.schema);
  object["notes"] = report.notes;
  object["schema"] = report.schema_toml;
  object["schema_file"] = output.empty() ? Json(nullptr) : Json(output);
  return object;
}

std::string field_words(const FieldReport& field) {
  if (is_numeric(field)) {
    // Each digit of an integer may matter, as long as the integers are exact.
    constexpr double exact = 9007199254740992.0;  // 2^53
    const bool is_whole =
        field.type == "integer" && std::abs(field.minimum) < exact && std::abs(field.maximum) < exact;
    return is_whole ? fmt::format("{:.0f} to {:.0f}", field.minimum, field.maximum)
                    : fmt::format("{:.6g} to {:.6g}", field.minimum, field.maximum);
  }
  std::string text;
  for (const auto& example : field.examples) {
    const std::string word = quoted_value(example, 16);
    if (display_width(text) + display_width(word) > 48) break;
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

std::string report_text(const InspectReport& report) {
  const char* header = report.schema.header ? "header line" : "no header line";
  std::string text = fmt::format("{} of {}, delimiter {}, {}\n", count_text(report.rows, "row"),
                                 count_text(report.fields.size(), "field"),
                                 quoted_value({&report.schema.delimiter, 1}), header);
  if (report.rejected_rows > 0) {
    text += fmt::format("left out as bad: {}\n", count_text(report.rejected_rows, "row"));
  }
  TextTable table("llrrrl");
  table.add({"field", "type", "distinct", "missing", "longest", "values"});
  for (const auto& field : report.fields) {
    table.add({field.name.empty() ? "(no name)" : printable(field.name), field.type,
               (field.distinct_is_exact ? "" : "~") + estimate_text(field.distinct),
               count_text(field.missing), count_text(field.longest_bytes), field_words(field)});
  }
  text += '\n' + table.text();
  for (const std::string& note : report.notes) text += "\nnote: " + printable(note);
  return text + (report.notes.empty() ? "" : "\n");
}

/// Whether the file contains features, as a schema does that is valid or about to be.
bool is_like_schema(const std::string& path) {
  const MappedFile file(path);
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  const bool is_text = text.find('\0') == std::string_view::npos;  // a model holds its schema too
  return text.empty() || (is_text && text.find("[[feature]]") != std::string_view::npos);
}

// Users are told to edit the schema, so a file already there may hold an hour of their work.
void check_place(const Options& options) {
  require_apart(options.output, places_read(options.inspect));
  if (!is_place_for_file(options.output) || !file_exists(options.output) || is_folder(options.output)) return;
  if (!options.overwrite) {
    throw ConfigError(
        fmt::format("{}: already exists and may have been edited; give --overwrite to replace it, or another "
                    "file with -o",
                    options.output));
  }
  // Whoever reads them compares this schema with its fingerprint.
  const std::filesystem::path folder = std::filesystem::path(options.output).parent_path();
  for (const std::string_view list : {manifest_name, table_list_name}) {
    if (std::filesystem::path(options.output).filename() == schema_name &&
        file_exists((folder / list).string()))
      throw ConfigError(
          fmt::format("{}: belongs to what {} lists, and only this very schema reads that; give another "
                      "file with -o",
                      options.output, (folder / list).string()));
  }
  if (!is_like_schema(options.output)) {
    throw ConfigError(fmt::format(
        "{}: is not a schema, and --overwrite replaces nothing else; remove it, or give another file with -o",
        options.output));
  }
}

void run(const Options& options) {
  const Stopwatch watch;
  const bool to_file = !options.output.empty() && options.output != "-";
  if (to_file) check_place(options);
  InspectOptions what = options.inspect;
  what.stop = &stop_on_signals();  // before there is anything to clean up
  // Opened before the data is read, so that a place that cannot be written to is found at once.
  const auto file = to_file ? std::make_unique<TextOutput>(options.output) : nullptr;
  ProgressBar bar("inspect", options.common.show_progress());
  InspectReport report;
  with_threads(options.common.threads, [&] { report = inspect(what, bar.callback()); });
  bar.erase();

  if (file) {
    file->write(report.schema_toml);
    file->finish();
  }
  if (options.common.json) {
    print_json(report_json(report, to_file ? options.output : "", watch.seconds()));
  } else if (options.output == "-") {
    write_standard_output(report.schema_toml);
  } else if (!to_file) {
    write_standard_output(report_text(report) + "\nfor a schema to edit, add: -o schema.toml\n");
  } else if (!options.common.quiet) {
    write_standard_output(
        report_text(report) +
        fmt::format("\nschema written to {}: check it, then use it with `widehash transform`\n",
                    printable(options.output)));
  }
}

}  // namespace

void add_inspect_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command = program.add(
      "inspect", "show a table's fields with their types and values, and propose a schema to edit",
      "# a first look at a file\n"
      "widehash inspect day1.tsv.gz\n"
      "# propose a schema with the label `clicked`, from the first million rows\n"
      "widehash inspect 'days/*.tsv' --label clicked --max-rows 1000000 -o schema.toml\n"
      "# read a table without a header from a pipe; print only the schema, to standard output\n"
      "zcat log.gz | widehash inspect - --header no --label f0 -o -\n"
      "# if the guess is wrong: semicolons separate fields, and quotes are ordinary bytes\n"
      "widehash inspect prices.csv --delimiter ';' --quote none\n");
  CLI::App& app = command.app;
  add_operands(app, "INPUT", options->inspect.inputs, 1, "file, glob, or - for standard input");
  add_text(app, "--label", options->inspect.label, "FIELD", "field to predict");
  add_text(app, "--weight", options->inspect.weight, "FIELD",
           "field that holds the row weights; it does not become a feature");
  add_choice(app, "--header", options->header, {"auto", "yes", "no"},
             "whether the first line names the fields; without a header they are f0, f1, ...; auto decides "
             "by the rows, and by whether the first line names the label");
  add_character(app, "--delimiter", options->inspect.delimiter, "",
                "field delimiter, such as ';', tab or space, if the guess is wrong");
  add_character(app, "--quote", options->inspect.quote, "none",
                "quote character around fields that contain delimiters, or none, if the guess is wrong");
  add_output_text(app, options->output, "write the schema to this file; - for standard output");
  add_switch(app, "--overwrite", options->overwrite, "replace an existing schema");
  add_count(app, "--max-rows", options->inspect.max_rows, "number of rows to look at; 0 for all");
  add_work_options(app, options->common);
  command.run = [options] {
    options->inspect.header = header_choice(options->header);
    run(*options);
  };
}

}  // namespace widehash::tools
