#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "schema_report.hpp"
#include "text.hpp"
#include "text_table.hpp"

#include <widehash/dataset.hpp>
#include <widehash/error.hpp>
#include <widehash/fit.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/model.hpp>
#include <widehash/table_set.hpp>
#include <widehash/trained_class_weights.hpp>
#include <widehash/written_kind.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace widehash::tools {
namespace {

struct Options {
  std::string path;
  bool schema = false;
  CommonOptions common;
};

/// The description of one thing, for people and for machines.
// Moving JSON throws nothing; the JSON library asserts while it moves.
// NOLINTNEXTLINE(bugprone-exception-escape)
struct Description {
  TextTable text{"ll"};
  Json json;
  std::string schema_toml;  // "" if it is not known
};

/// Adds one line per thing, the first of them after `name`.
template <class Thing, class TextOf>
void add_list(TextTable& table, const char* name, const std::vector<Thing>& things, const TextOf& text_of) {
  const std::size_t listed = num_listed(things.size());
  for (std::size_t i = 0; i < listed; ++i) table.add({i == 0 ? name : "", text_of(things[i])});
  if (listed < things.size()) table.add({"", rest_text(things.size())});
}

/// Adds `schema` except for its fingerprint, in the way that models, datasets and tables share.
void add_schema(Description& description, const Schema& schema) {
  description.text.add({"label", label_text(schema.label)});
  if (!schema.weight.empty()) description.text.add({"weight", printable(schema.weight)});
  description.text.add({"features", features_text(schema)});
  description.json["label"] = label_json(schema.label);
  set_weight(description.json, schema);
  description.json["features"] = Json::array();
  for (const Feature& feature : schema.features) {
    if (feature.encoding != Encoding::ignore) description.json["features"].push_back(feature.name);
  }
}

void add_fingerprints(Description& description, const std::string& schema, const std::string& tables) {
  description.text.add({"schema", schema});
  description.text.add({"tables", tables.empty() ? "none" : tables});
  description.json["schema_fingerprint"] = schema;
  description.json["tables_fingerprint"] = tables.empty() ? Json(nullptr) : Json(tables);
}

/// "852 columns -> 32 -> 16 -> 1, relu, logistic loss".
std::string network_text(const Architecture& network) {
  std::string layers = count_text(network.num_columns, "column");
  for (const std::uint32_t units : network.hidden) layers += fmt::format(" -> {}", units);
  layers += fmt::format(" -> {}", network.outputs);
  return fmt::format("{}, {}{} loss", layers,
                     network.hidden.empty() ? "" : fmt::format("{}, ", to_string(network.activation)),
                     to_string(network.loss));
}

/// "adagrad: learning rate 0.4, falling over 108 steps, l2 1e-05".
std::string optimizer_text(const OptimizerSettings& settings) {
  std::string text =
      fmt::format("{}: learning rate {:.6g}", to_string(settings.kind), settings.learning_rate);
  if (settings.decay_steps > 0) text += fmt::format(", falling over {:.0f} steps", settings.decay_steps);
  for (const auto& [name, value] : {std::pair("l1", settings.l1), std::pair("l2", settings.l2)}) {
    if (value != 0) text += fmt::format(", {} {:.6g}", name, value);
  }
  return text;
}

std::string trained_text(const TrainingPosition& position, const Architecture& architecture,
                         const Json& training) {
  std::string text =
      fmt::format("{} and {}", count_text(position.epoch, "epoch"), count_text(position.rows_seen, "row"));
  const Json settings = training.value("settings", Json::object());
  const Json step_rows = settings.is_object() ? settings.value("batch_size", Json()) : Json();
  if (step_rows.is_number_unsigned())
    text += fmt::format(" in steps of {}", count_text(step_rows.get<std::uint64_t>()));
  if (position.batch > 0) text += fmt::format(", stopped after batch {} of the next", position.batch);
  if (std::isfinite(position.best_valid_loss)) {
    text +=
        fmt::format("; {} {:.6g} on the rows of --valid after epoch {}",
                    judged_by(metric_task(architecture)).name, position.best_valid_loss, position.best_epoch);
  }
  return text;
}

Description describe_model(const std::string& path) {
  const ModelHeader model = read_model_header<float>(path);
  const std::uint64_t bytes = file_size_bytes(path);
  const Json training = Json::parse(model.training);
  const TrainingPosition& position = model.position;
  const std::uint64_t parameters = num_parameters(model.architecture) * model.num_towers();
  Description description;
  TextTable& text = description.text;
  Json& json = description.json;
  text.add({"model", printable(path) + ", " + bytes_text(bytes)});
  text.add({"network", network_text(model.architecture)});
  text.add(
      {"parameters", count_text(parameters) +
                         (model.num_towers() > 1 ? fmt::format(" of {} towers", model.num_towers()) : "")});
  text.add({"optimizer", optimizer_text(model.optimizer)});
  const std::vector<double> class_weights = trained_class_weights(path);
  text.add({"trained", trained_text(position, model.architecture, training)});
  if (!class_weights.empty()) text.add({"class weights", class_weights_text(class_weights)});
  json["kind"] = "model";
  json["bytes"] = bytes;
  json["num_columns"] = model.architecture.num_columns;
  json["hidden"] = model.architecture.hidden;
  json["outputs"] = model.architecture.outputs;
  json["activation"] = to_string(model.architecture.activation);
  json["loss"] = to_string(model.architecture.loss);
  json["parameters"] = parameters;
  json["towers"] = model.num_towers();
  json["optimizer"] = Json::parse(to_json(model.optimizer));
  json["epoch"] = position.epoch;
  json["batch"] = position.batch;
  json["rows_seen"] = position.rows_seen;
  json["seed"] = position.seed;
  json["best_epoch"] = position.best_epoch;
  json["best_valid_loss"] =
      std::isfinite(position.best_valid_loss) ? Json(position.best_valid_loss) : Json(nullptr);
  json["class_weights"] = class_weights.empty() ? Json(nullptr) : Json(class_weights);
  json["training"] = training;
  description.schema_toml = model.source.schema_toml;
  if (!description.schema_toml.empty()) add_schema(description, parse_schema(description.schema_toml, path));
  add_fingerprints(description, model.source.schema_fingerprint, model.source.tables_fingerprint);
  return description;
}

void add_folds(Description& description, const Folds& folds, std::uint64_t other_fold_rows) {
  if (!folds.take_all()) description.text.add({"folds", folds_text(folds, other_fold_rows)});
  Json& json = description.json;
  json["other_fold_rows"] = other_fold_rows;
  json["folds"] = folds.take_all() ? Json(nullptr) : Json(to_text(folds));
  json["fold_by"] = folds.by.empty() ? Json(nullptr) : Json(folds.by);
}

Description describe_dataset(const std::string& path) {
  const Dataset dataset(path);
  const Manifest& manifest = dataset.manifest();
  Description description;
  TextTable& text = description.text;
  Json& json = description.json;
  text.add({"dataset", printable(path) + ", " + bytes_text(manifest.num_bytes())});
  text.add({"rows", rows_text(manifest.rows, manifest.rejected_rows, "")});
  text.add({"shards", count_text(manifest.shards.size())});
  text.add({"columns", count_text(manifest.num_columns)});
  json["kind"] = "dataset";
  json["bytes"] = manifest.num_bytes();
  json["rows"] = manifest.rows;
  json["rejected_rows"] = manifest.rejected_rows;
  add_folds(description, manifest.folds, manifest.other_fold_rows);
  json["shards"] = manifest.shards.size();
  json["num_columns"] = manifest.num_columns;
  json["inputs"] = Json::array();
  add_list(text, "inputs", manifest.inputs, [](const ManifestInput& input) {
    return fmt::format("{}, {}", printable(input.path), count_text(input.rows, "row"));
  });
  for (const ManifestInput& input : manifest.inputs) {
    json["inputs"].push_back({{"path", input.path},
                              {"size_bytes", input.size_bytes},
                              {"rows", input.rows},
                              {"rejected_rows", input.rejected_rows}});
  }
  description.schema_toml = read_text_file(in_folder(path, schema_name));
  add_schema(description, dataset.schema());
  add_fingerprints(description, manifest.schema_fingerprint, manifest.tables_fingerprint);
  return description;
}

Description describe_tables(const std::string& path) {
  const TableSet set = load_table_set(path);
  Description description;
  description.text.add({"tables", printable(path)});
  description.text.add({"rows", count_text(set.rows)});
  Json& json = description.json;
  json["kind"] = "tables";
  json["rows"] = set.rows;
  json["values"] = Json::object();
  std::vector<TableSet::Item> tables;
  std::ranges::copy_if(set.items, std::back_inserter(tables),
                       [](const TableSet::Item& item) { return !item.file.empty(); });
  add_list(description.text, "values", tables, [](const TableSet::Item& item) {
    return fmt::format("{} of {}", count_text(item.num_values), printable(item.feature));
  });
  for (const TableSet::Item& item : tables) json["values"][item.feature] = item.num_values;
  json["inputs"] = Json::array();
  const TableSources sources = sources_of_tables(set.directory);
  add_folds(description, sources.folds, sources.other_fold_rows);
  add_list(description.text, "inputs", sources.inputs, [](const TableInput& input) {
    return fmt::format("{}, {}", printable(input.path), bytes_text(input.size_bytes));
  });
  for (const TableInput& input : sources.inputs)
    json["inputs"].push_back({{"path", input.path}, {"size_bytes", input.size_bytes}});
  if (const std::optional<Schema> schema = schema_of(set)) {
    description.schema_toml = read_text_file(in_folder(set.directory, schema_name));
    add_schema(description, *schema);
  }
  add_fingerprints(description, set.schema_fingerprint, set.fingerprint);
  return description;
}

Description describe(const std::string& path) {
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

void run(const Options& options) {
  Description description = describe(options.path);
  const std::string& toml = description.schema_toml;
  if (options.schema) {
    if (toml.empty()) throw DataError(options.path, 0, "does not hold its schema");
    write_standard_output(toml);
  } else if (options.common.json) {
    description.json["schema"] = toml.empty() ? Json(nullptr) : Json(toml);
    print_json(description.json);
  } else {
    write_standard_output(description.text.text());
  }
}

}  // namespace

void add_describe_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command =
      program.add("describe", "show what a model, a dataset or tables contain, and what they were made from",
                  "# tell several models apart\n"
                  "for model in *.model; do widehash describe \"$model\"; done\n"
                  "widehash describe clicks.model --json | jq '.hidden, .optimizer, .best_valid_loss'\n"
                  "# get the schema of a model, to encode more rows\n"
                  "widehash describe clicks.model --schema > schema.toml\n");
  CLI::App& app = command.app;
  add_operand(app, "PATH", options->path, "model, dataset, or tables");
  add_switch(app, "--schema", options->schema, "print only its schema");
  add_report_options(app, options->common);
  command.run = [options] { run(*options); };
}

}  // namespace widehash::tools
