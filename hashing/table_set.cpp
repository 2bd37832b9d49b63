// tables.json: what `fit` wrote to a directory.

#include "table_pass.hpp"

#include <widehash/checksum.hpp>
#include <widehash/code.hpp>
#include <widehash/damaged_files.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/internal/json_count.hpp>
#include <widehash/internal/json_parse.hpp>
#include <widehash/internal/table_place.hpp>
#include <widehash/internal/utf8.hpp>
#include <widehash/table_set.hpp>
#include <widehash/threads.hpp>

#include <limits>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace widehash {
namespace {

using Json = nlohmann::ordered_json;

constexpr int table_set_version = 1;

Json to_json(const TableSet::Item& item) {
  Json json = {{"feature", item.feature}};
  if (!item.file.empty()) {
    json["file"] = item.file;
    json["num_values"] = item.num_values;
    json["file_checksum"] = to_hex(item.file_checksum);
  }
  if (item.moments.count != 0) {
    json["moments"] = {{"count", item.moments.count},
                       {"mean", item.moments.mean},
                       {"standard_deviation", item.moments.standard_deviation}};
  }
  return json;
}

Json contents(const TableSet& set) {
  Json json = {
      {"version", table_set_version}, {"schema_fingerprint", set.schema_fingerprint}, {"rows", set.rows}};
  json["items"] = Json::array();
  for (const auto& item : set.items) json["items"].push_back(to_json(item));
  return json;
}

/// Computed over the written text, so that any change of rows, checksums or moments changes it.
std::string fingerprint_of(const TableSet& set) {
  const Hash128 hash = hash_xxh3_128(contents(set).dump());
  return to_hex(hash.high) + to_hex(hash.low);
}

/// JSON cannot represent a moment that overflowed, so such a moment is written as null.
double number_from(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

TableSet::Item item_from(const Json& json) {
  TableSet::Item item;
  item.feature = json.at("feature").get<std::string>();
  if (json.contains("file")) {
    item.file = json.at("file").get<std::string>();
    // Calls of the system would stop at a zero byte.
    if (item.file.find_first_of(std::string_view("/\0", 2)) != std::string::npos)
      throw std::invalid_argument("a table must lie in the same folder, unlike " + printable(item.file, 100));
    // What is named here is removed with the set.
    if (!item.file.ends_with(".table"))
      throw std::invalid_argument("a table's name must end in .table, unlike '" + item.file + "'");
    item.num_values = detail::json_count(json, "num_values");
    item.file_checksum = from_hex(json.at("file_checksum").get<std::string>());
  }
  if (json.contains("moments")) {
    const auto& moments = json.at("moments");
    item.moments = {.count = detail::json_count(moments, "count"),
                    .mean = number_from(moments.at("mean")),
                    .standard_deviation = number_from(moments.at("standard_deviation"))};
  }
  return item;
}

std::string text_of(const TableSet& set) {
  Json json = contents(set);
  json["fingerprint"] = set.fingerprint;
  return json.dump(2) + "\n";
}

TableSet parse(const std::string& path, const std::string& directory) {
  const std::string text = read_text_file(path);
  TableSet set;
  set.directory = directory;
  try {
    const Json json = detail::parse_json<Json>(text);
    const auto version = detail::json_count(json, "version");
    if (version != table_set_version) {
      throw DataError(
          path, 0,
          fmt::format(
              "is version {}, but this program reads version {}; use a program that reads that version",
              version, table_set_version));
    }
    set.schema_fingerprint = json.at("schema_fingerprint").get<std::string>();
    set.fingerprint = json.at("fingerprint").get<std::string>();
    set.rows = detail::json_count(json, "rows");
    for (const auto& item : json.at("items")) set.items.push_back(item_from(item));
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;  // says nothing about the file
  } catch (const std::exception& error) {
    throw DataError(path, 0,
                    fmt::format("cannot be read as a list of tables: {}; run fit again", error.what()));
  }
  if (set.fingerprint != fingerprint_of(set)) {
    throw DataError(path, 0, "was altered: its fingerprint does not match its contents; run fit again");
  }
  // The fingerprint covers the meaning. This check covers every byte, including changes that leave the
  // meaning as it was.
  if (text_of(set) != text) {
    throw DataError(
        path, 0, "was altered: its text is not what was written; restore it from a copy, or run fit again");
  }
  return set;
}

/// Throws DataError if a killed or running `fit` has left unfinished work in the folder, or if the folder
/// exists and holds no tables.
void require_in_place(const std::string& folder) {
  if (TablePlace::is_unfinished(folder)) {
    throw DataError(folder, 0,
                    "a fit is putting new tables in place here, or was killed while doing so; wait for it, "
                    "or run the same fit again, which finishes at once");
  }
  if (file_exists(in_folder(folder, table_list_name))) return;
  if (file_exists(TablePlace::folder_in(folder)))
    throw DataError(folder, 0, "the fit into this folder did not finish; run it again");
  if (file_exists(folder) && !is_folder(folder))
    throw ConfigError(folder + ": is a file; give the folder that `widehash fit` wrote");
  if (file_exists(in_folder(folder, manifest_name)))
    throw ConfigError(folder + ": is a dataset and has no tables; give the folder that `widehash fit` wrote");
  if (file_exists(folder)) {
    throw DataError(folder, 0,
                    "has no tables.json; create the tables with `widehash fit` and give their folder");
  }
}

/// The difference between `schema` and the schema that made the tables, if that lies beside them or in the
/// folder above; otherwise "".
std::string difference(const std::string& directory, const Schema& schema) {
  for (const std::string& folder : {directory, directory + "/.."}) {
    const std::string path = in_folder(folder, schema_name);
    if (!file_exists(path)) continue;
    try {
      std::string text = describe_difference(load_schema(path), schema);
      if (!text.empty()) return text;
    } catch (const Error&) {
      // The file only improves the message. Whatever is wrong with it is not what the caller asked about.
    }
  }
  return {};
}

/// Throws DataError unless the set has exactly the features of `schema`. Code that reads the set relies on
/// this.
void require_items(const TableSet& set, const std::string& path, const Schema& schema) {
  bool agrees = set.items.size() == schema.features.size();
  for (std::size_t i = 0; agrees && i < set.items.size(); ++i)
    agrees = set.items[i].feature == schema.features[i].name &&
             set.items[i].file.empty() != schema.features[i].has_table();
  if (!agrees) throw DataError(path, 0, "does not list the features of its schema; run fit again");
}

/// Opens a table whose contents are still to be verified.
LookupTable open_unverified(const TableSet& set, std::size_t feature) {
  if (feature >= set.items.size())
    throw ConfigError(fmt::format("{}: has {} features, and none at position {}", set.directory,
                                  set.items.size(), feature));
  const TableSet::Item& item = set.items[feature];
  if (item.file.empty())
    throw ConfigError(
        fmt::format("{}: feature '{}' is numeric or ignored and has no table", set.directory, item.feature));
  LookupTable table(in_folder(set.directory, item.file));
  if (table.file().footer_checksum() != item.file_checksum) {
    throw DataError(
        table.file().path(), 0,
        "is not the table that tables.json was written with; restore it from a copy, or run fit again");
  }
  return table;
}

/// Checks the copy of the schema beside the tables, which audit, values and describe use to read them.
void look_at_schema(const TableSet& set, std::vector<Damage>& damage) {
  const std::string path = in_folder(set.directory, schema_name);
  try {
    if (!file_exists(path) || schema_of(set)) return;
    throw DataError(path, 0, "is not the schema the tables were made with; restore that one");
  } catch (const Error&) {
    damage.push_back(Damage::at(path));
  }
}

}  // namespace

std::string tables_folder(const std::string& directory) {
  if (file_exists(in_folder(directory, table_list_name))) return directory;
  std::string inside = in_folder(directory, tables_folder_name);
  return file_exists(in_folder(inside, table_list_name)) ? inside : directory;
}

bool has_table_set(const std::string& directory) {
  return file_exists(in_folder(tables_folder(directory), table_list_name));
}

TableSet load_table_set(const std::string& directory, const Schema* schema) {
  const std::string folder = tables_folder(directory);
  require_in_place(folder);
  const std::string path = in_folder(folder, table_list_name);
  TableSet set = parse(path, folder);
  if (schema != nullptr && set.schema_fingerprint != schema->fingerprint()) {
    const std::string differing = difference(folder, *schema);
    throw ConfigError(fmt::format(
        "{}: these tables were made with another schema (fingerprint {} there, {} here){}{}; "
        "use that schema or run fit with this one",
        path, set.schema_fingerprint, schema->fingerprint(), differing.empty() ? "" : ": ", differing));
  }
  if (schema != nullptr) require_items(set, path, *schema);
  return set;
}

std::optional<Schema> schema_of(const TableSet& set) {
  const std::string path = in_folder(set.directory, schema_name);
  if (!file_exists(path)) return std::nullopt;
  Schema schema = load_schema(path);
  if (schema.fingerprint() != set.schema_fingerprint || schema.features.size() != set.items.size())
    return std::nullopt;
  return schema;
}

LookupTable open_table(const TableSet& set, std::size_t feature) {
  LookupTable table = open_unverified(set, feature);
  table.file().verify();
  return table;
}

VerifyTablesReport verify_tables(const TableSet& set, const ProgressCallback& progress) {
  std::vector<detail::TablePass::Table> tables;
  for (std::size_t i = 0; i < set.items.size(); ++i) {
    if (!set.items[i].file.empty()) tables.push_back({i, set.items[i].num_values});
  }
  VerifyTablesReport report;
  report.rows = set.rows;
  // Kept by feature, so that problems are reported in the order of the schema whatever the timing.
  std::vector<std::optional<Damage>> of_features(set.items.size());
  std::mutex mutex;
  detail::TablePass pass(progress, set.items.size(), tables.size());
  pass.run(std::move(tables), current_threads(), [&](std::size_t i) {
    try {
      const LookupTable table = open_unverified(set, i);
      table.verify(pass.pulse());
      table.file().mapping().release_pages();
      const std::lock_guard lock(mutex);
      ++report.tables;
      report.values += table.num_values();
      report.bytes += table.file().file_bytes();
    } catch (const Error&) {
      pass.rethrow_of_callback();  // an exception of the caller's callback is not damage
      of_features[i] = Damage::at(in_folder(set.directory, set.items[i].file));
    }
  });
  std::vector<Damage> damage;
  for (std::optional<Damage>& one : of_features) {
    if (one) damage.push_back(std::move(*one));
  }
  look_at_schema(set, damage);
  throw_damage(damage, "the tables have");
  return report;
}

void write_table_set(TableSet& set) {
  set.fingerprint = fingerprint_of(set);
  write_text_file(in_folder(set.directory, table_list_name), text_of(set));
}

}  // namespace widehash
