#include <widehash/checksum.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/internal/json_count.hpp>
#include <widehash/internal/json_folds.hpp>
#include <widehash/internal/json_parse.hpp>
#include <widehash/internal/sealed_json.hpp>
#include <widehash/internal/utf8.hpp>
#include <widehash/manifest.hpp>

#include <set>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace widehash {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* version_key = "widehash_manifest";
constexpr std::uint32_t manifest_of_two_bytes = 1;
constexpr std::uint32_t manifest_of_all_rows = 2;
constexpr std::uint32_t manifest_of_folds = 3;
constexpr std::uint32_t manifest_of_packed_runs = 4;
static_assert(manifest_of_packed_runs == manifest_major);
constexpr int indent = 1;

std::uint32_t version_of(const Manifest& manifest) noexcept {
  if (manifest.code_bytes == CodeBytes::least_in_runs) return manifest_of_packed_runs;
  if (!manifest.folds.take_all()) return manifest_of_folds;
  return manifest.code_bytes == CodeBytes::two ? manifest_of_two_bytes : manifest_of_all_rows;
}

std::string path_of(const std::string& directory) { return in_folder(directory, manifest_name); }

/// Returns what does not add up, as text for a message; empty if everything does.
std::string find_contradiction(const Manifest& manifest) {
  std::uint64_t read = 0;
  std::uint64_t rejected = 0;
  std::uint64_t other_folds = 0;
  std::uint64_t written = 0;
  for (const ManifestInput& input : manifest.inputs) {
    read += input.rows;
    rejected += input.rejected_rows;
    other_folds += input.other_fold_rows;
  }
  std::set<std::string> names;
  for (const ManifestShard& shard : manifest.shards) {
    written += shard.rows;
    // Calls of the system would stop at a zero byte.
    if (shard.file.empty() || shard.file.find_first_of(std::string_view("/\0", 2)) != std::string::npos ||
        shard.file == "." || shard.file == "..") {
      return fmt::format("'{}' is not the name of a file in the dataset's folder",
                         printable(shard.file, 100));
    }
    if (!names.insert(shard.file).second) return fmt::format("shard '{}' is named twice", shard.file);
  }
  if (written != manifest.rows) {
    return fmt::format("the shards hold {} rows, but the total is {}", written, manifest.rows);
  }
  if (rejected != manifest.rejected_rows) {
    return fmt::format("{} rows of the inputs were rejected, but the total is {}", rejected,
                       manifest.rejected_rows);
  }
  if (!manifest.folds.take_all() && manifest.code_bytes == CodeBytes::two)
    return "codes of two bytes are from a version that had no folds";
  if (other_folds != manifest.other_fold_rows) {
    return fmt::format("{} rows of the inputs are in other folds, but the total is {}", other_folds,
                       manifest.other_fold_rows);
  }
  if (manifest.folds.take_all() && other_folds > 0) {
    return fmt::format("{} rows are in other folds, but all folds were written", other_folds);
  }
  if (read != manifest.rows_read()) {
    return fmt::format(
        "rows read ({}) are not the sum of rows written ({}), rejected ({}) and in other folds ({})", read,
        manifest.rows, manifest.rejected_rows, manifest.other_fold_rows);
  }
  return "";
}

Json to_json(const Manifest& manifest) {
  Json json;
  json[version_key] = version_of(manifest);
  json["schema_fingerprint"] = manifest.schema_fingerprint;
  json["tables_fingerprint"] = manifest.tables_fingerprint;
  if (manifest.schema_checksum != 0) json["schema_checksum"] = to_hex(manifest.schema_checksum);
  json["head_columns"] = manifest.head_columns;
  json["num_columns"] = manifest.num_columns;
  json["block_bytes"] = manifest.block_bytes;
  detail::set_folds(json, manifest.folds);
  json["totals"] = {{"rows", manifest.rows},
                    {"rejected_rows", manifest.rejected_rows},
                    {"rows_read", manifest.rows_read()},
                    {"bytes", manifest.num_bytes()}};
  if (!manifest.folds.take_all()) json["totals"]["other_fold_rows"] = manifest.other_fold_rows;
  json["inputs"] = Json::array();
  for (const ManifestInput& input : manifest.inputs) {
    json["inputs"].push_back({{"path", input.path},
                              {"size_bytes", input.size_bytes},
                              {"rows", input.rows},
                              {"rejected_rows", input.rejected_rows}});
    if (input.sample != 0) json["inputs"].back()["sample"] = to_hex(input.sample);
    if (!manifest.folds.take_all()) json["inputs"].back()["other_fold_rows"] = input.other_fold_rows;
  }
  json["shards"] = Json::array();
  for (const ManifestShard& shard : manifest.shards) {
    json["shards"].push_back({{"file", shard.file},
                              {"rows", shard.rows},
                              {"bytes", shard.bytes},
                              {"checksum", to_hex(shard.checksum)}});
  }
  return json;
}

// For keys that earlier manifests do not have, or that only manifests of folds have.
std::uint64_t count_or_zero(const Json& json, const char* key) {
  return json.contains(key) ? detail::json_count(json, key) : 0;
}
std::uint64_t hex_or_zero(const Json& json, const char* key) {
  return json.contains(key) ? from_hex(json.at(key).get<std::string>()) : 0;
}

CodeBytes code_bytes_of(const Json& version) {
  if (version == manifest_of_two_bytes) return CodeBytes::two;
  return version == manifest_of_packed_runs ? CodeBytes::least_in_runs : CodeBytes::least;
}

Manifest from_json(const Json& json) {
  Manifest manifest;
  manifest.code_bytes = code_bytes_of(json.at(version_key));
  json.at("schema_fingerprint").get_to(manifest.schema_fingerprint);
  json.at("tables_fingerprint").get_to(manifest.tables_fingerprint);
  manifest.schema_checksum = hex_or_zero(json, "schema_checksum");
  manifest.head_columns = detail::json_counts<std::uint32_t>(json, "head_columns");
  manifest.num_columns = detail::json_count(json, "num_columns");
  manifest.block_bytes = detail::json_count(json, "block_bytes");
  manifest.rows = detail::json_count(json.at("totals"), "rows");
  manifest.rejected_rows = detail::json_count(json.at("totals"), "rejected_rows");
  manifest.other_fold_rows = count_or_zero(json.at("totals"), "other_fold_rows");
  manifest.folds = detail::read_folds(json);
  if (json.at(version_key) != version_of(manifest))
    throw std::invalid_argument("its version does not fit its contents");
  for (const Json& item : json.at("inputs")) {
    manifest.inputs.push_back({item.at("path"), detail::json_count(item, "size_bytes"),
                               detail::json_count(item, "rows"), detail::json_count(item, "rejected_rows"),
                               hex_or_zero(item, "sample"), count_or_zero(item, "other_fold_rows")});
  }
  for (const Json& item : json.at("shards")) {
    manifest.shards.push_back({item.at("file"), detail::json_count(item, "rows"),
                               detail::json_count(item, "bytes"),
                               from_hex(item.at("checksum").get<std::string>())});
  }
  return manifest;
}

// Reported apart from damage and checked before the checksum: a later version may well compute its checksum
// differently.
void check_version(const Json& json, const std::string& path) {
  if (!json.is_object() || !json.contains(version_key)) {
    throw DataError(path, 0, "not the manifest of a widehash dataset; is it the right folder?");
  }
  const Json& major = json.at(version_key);
  if (major != manifest_of_two_bytes && major != manifest_of_all_rows && major != manifest_of_folds &&
      major != manifest_of_packed_runs) {
    throw DataError(path, 0,
                    fmt::format("written in manifest version {}, but this program reads versions {} to {}; "
                                "use a program that reads that version",
                                major.dump(), manifest_of_two_bytes, manifest_major));
  }
}

}  // namespace

std::uint64_t Manifest::num_bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const ManifestShard& shard : shards) bytes += shard.bytes;
  return bytes;
}

Manifest load_manifest(const std::string& directory) {
  const std::string path = path_of(directory);
  const std::string text = read_text_file(path);
  const auto fail = [&](const std::string& what) {
    throw DataError(path, 0, what + "; restore it from a copy, or write the dataset again with --overwrite");
  };
  Manifest manifest;
  try {
    const Json json = detail::parse_json<Json>(text);
    check_version(json, path);
    detail::require_sealed(json, text, indent);
    manifest = from_json(json);
    const Json& totals = json.at("totals");
    if (totals.at("rows_read") != manifest.rows_read() || totals.at("bytes") != manifest.num_bytes()) {
      fail("its totals do not add up");
    }
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;  // says nothing about the file
  } catch (const std::exception& problem) {
    fail(fmt::format("damaged ({})", problem.what()));
  }
  if (const std::string wrong = find_contradiction(manifest); !wrong.empty()) fail(wrong);
  return manifest;
}

void write_manifest(const Manifest& manifest, const std::string& directory) {
  const std::string path = path_of(directory);
  if (const std::string wrong = find_contradiction(manifest); !wrong.empty()) {
    throw DataError(path, 0, wrong + "; the manifest was not written");
  }
  write_text_file(path, detail::sealed_text(to_json(manifest), indent));
}

}  // namespace widehash
