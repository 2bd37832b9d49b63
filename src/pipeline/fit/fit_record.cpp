#include "fit_record.hpp"

#include <widehash/error.hpp>
#include <widehash/fit.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/internal/json_count.hpp>
#include <widehash/internal/json_folds.hpp>
#include <widehash/internal/json_parse.hpp>
#include <widehash/internal/sealed_json.hpp>

#include <exception>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace widehash {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* version_key = "widehash_fit";
constexpr int record_of_all_rows = 1;
constexpr int record_of_folds = 2;  // programs that do not know folds see no record in it
constexpr int indent = 2;

Json inputs_json(const std::vector<CountedInput>& inputs) {
  Json json = Json::array();
  for (const CountedInput& input : inputs) {
    json.push_back(input.sign);
    if (!input.place.empty()) json.back()["place"] = input.place;
  }
  return json;
}

std::vector<CountedInput> inputs_from(const Json& json) {
  std::vector<CountedInput> inputs;
  for (const Json& input : json)
    inputs.push_back({input.get<InputSign>(), input.value("place", std::string())});
  return inputs;
}

int version_of(const FitRecord& record) noexcept {
  return record.folds.take_all() ? record_of_all_rows : record_of_folds;
}

std::string text_of(const FitRecord& record) {
  Json json = {{version_key, version_of(record)},
               {"schema_fingerprint", record.schema_fingerprint},
               {"tables_fingerprint", record.tables_fingerprint},
               {"rejected_rows", record.rejected_rows},
               {"inputs", inputs_json(record.inputs)}};
  detail::set_folds(json, record.folds);
  if (!record.folds.take_all()) json["other_fold_rows"] = record.other_fold_rows;
  if (!record.added.empty()) json["added_tables"] = record.added;
  return detail::sealed_text(std::move(json), indent);
}

FitRecord parse(const std::string& text) {
  const Json json = detail::parse_json<Json>(text);
  detail::require_sealed(json, text, indent);
  FitRecord record;
  record.folds = detail::read_folds(json);
  if (json.at(version_key) != version_of(record)) throw std::invalid_argument("another version");
  record.schema_fingerprint = json.at("schema_fingerprint").get<std::string>();
  record.tables_fingerprint = json.at("tables_fingerprint").get<std::string>();
  record.rejected_rows = detail::json_count(json, "rejected_rows");
  record.inputs = inputs_from(json.at("inputs"));
  if (!record.folds.take_all()) record.other_fold_rows = detail::json_count(json, "other_fold_rows");
  if (json.contains("added_tables")) json.at("added_tables").get_to(record.added);
  return record;
}

}  // namespace

void write_fit_record(const FitRecord& record, const std::string& directory) {
  write_text_file(in_folder(directory, fit_record_name), text_of(record));
}

void verify_fit_record(const TableSet& set) {
  const std::string path = in_folder(set.directory, fit_record_name);
  if (!file_exists(path)) return;
  const std::optional<FitRecord> record = read_fit_record(set.directory);
  if (record && record->tables_fingerprint == set.fingerprint) return;
  throw DataError(path, 0,
                  fmt::format("{}; the tables can be used, but not added to: restore it from a copy, or run "
                              "fit again with --overwrite",
                              record ? "belongs to other tables" : "is damaged or from a later version"));
}

TableSources sources_of_tables(const std::string& directory) {
  const std::optional<FitRecord> record = read_fit_record(directory);
  if (!record) return {};
  TableSources sources{.folds = record->folds, .other_fold_rows = record->other_fold_rows};
  sources.inputs.reserve(record->inputs.size());
  for (const CountedInput& input : record->inputs)
    sources.inputs.push_back({input.sign.path, input.sign.size_bytes});
  return sources;
}

std::vector<InputSign> signs_of(const std::vector<CountedInput>& inputs) {
  std::vector<InputSign> signs;
  signs.reserve(inputs.size());
  for (const CountedInput& input : inputs) signs.push_back(input.sign);
  return signs;
}

std::optional<FitRecord> read_fit_record(const std::string& directory) {
  const std::string path = in_folder(directory, fit_record_name);
  if (!file_exists(path)) return std::nullopt;
  const std::string text = read_text_file(path);
  try {
    return parse(text);
  } catch (const std::exception&) {
    // A damaged record counts as none: without a record, no tables are taken to be the same.
  }
  return std::nullopt;
}

}  // namespace widehash
