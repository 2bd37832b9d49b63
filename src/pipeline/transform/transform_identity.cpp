#include "transform_identity.hpp"

#include "ingest/schema_difference.hpp"

#include <widehash/internal/json_count.hpp>
#include <widehash/internal/json_folds.hpp>
#include <widehash/internal/json_parse.hpp>

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace widehash {
namespace {

using nlohmann::ordered_json;

constexpr const char* version_key = "widehash_journal";
constexpr int journal_of_two_bytes = 2;
constexpr int journal_of_least_bytes = 3;
constexpr int journal_of_packed_runs = 4;
// Stated twice: the line has no checksum, and one flipped bit turns version 3 into version 2.
constexpr const char* code_bytes_key = "code_bytes";
constexpr const char* least_bytes = "least";
constexpr const char* least_bytes_in_runs = "least_in_runs";

CodeBytes code_bytes_of(const ordered_json& version) {
  if (version == journal_of_two_bytes) return CodeBytes::two;
  return version == journal_of_packed_runs ? CodeBytes::least_in_runs : CodeBytes::least;
}

TransformIdentity parse(const ordered_json& line) {
  TransformIdentity identity;
  identity.code_bytes = code_bytes_of(line.at(version_key));
  identity.fingerprint.schema = line.at("schema_fingerprint").get<std::string>();
  identity.fingerprint.tables = line.at("tables_fingerprint").get<std::string>();
  identity.block_bytes = detail::json_count(line, "block_bytes");
  identity.folds = detail::read_folds(line);
  line.at("inputs").get_to(identity.inputs);
  return identity;
}

}  // namespace

std::string to_line(const TransformIdentity& identity) {
  ordered_json line;
  switch (identity.code_bytes) {
    case CodeBytes::two:
      line[version_key] = journal_of_two_bytes;
      break;
    case CodeBytes::least:
      line[version_key] = journal_of_least_bytes;
      line[code_bytes_key] = least_bytes;
      break;
    case CodeBytes::least_in_runs:
      line[version_key] = journal_of_packed_runs;
      line[code_bytes_key] = least_bytes_in_runs;
      break;
  }
  line["schema_fingerprint"] = identity.fingerprint.schema;
  line["tables_fingerprint"] = identity.fingerprint.tables;
  line["block_bytes"] = identity.block_bytes;
  detail::set_folds(line, identity.folds);
  line["inputs"] = identity.inputs;
  return line.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::optional<TransformIdentity> parse_identity(std::string_view line) {
  try {
    TransformIdentity identity = parse(detail::parse_json<ordered_json>(line));
    if (to_line(identity) == std::string(line) + "\n") return identity;
  } catch (const std::exception&) {
    // Damaged, or of a later version: not a run that this program knows.
  }
  return std::nullopt;
}

bool differ_in_contents_only(const TransformIdentity& a, const TransformIdentity& b) {
  return a.fingerprint == b.fingerprint && a.block_bytes == b.block_bytes && a.code_bytes == b.code_bytes &&
         a.folds == b.folds &&
         std::equal(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), b.inputs.end(),
                    [](const InputSign& x, const InputSign& y) { return x.path == y.path; });
}

std::string describe_difference(const TransformIdentity& then, const TransformIdentity& now,
                                const std::string& directory, const Schema* schema) {
  std::vector<std::string> differences;
  if (then.fingerprint.schema != now.fingerprint.schema) {
    const std::string note =
        schema == nullptr ? "" : schema_difference_note(directory, then.fingerprint.schema, *schema);
    differences.push_back("the schema was different" +
                          (note.empty() ? fmt::format(" (it is in {}/schema.toml)", directory) : note));
  }
  if (then.fingerprint.tables != now.fingerprint.tables)
    differences.push_back("the lookup tables were different");
  if (then.block_bytes != now.block_bytes) {
    differences.push_back(
        fmt::format("--block-bytes was {} and is now {}", then.block_bytes, now.block_bytes));
  }
  if (then.folds != now.folds)
    differences.push_back(
        fmt::format("it was made from {}, not from {}", rows_of(then.folds), rows_of(now.folds)));
  std::string inputs = describe_difference(then.inputs, now.inputs);
  if (!inputs.empty()) differences.push_back(std::move(inputs));
  return fmt::format("{}", fmt::join(differences, "; "));
}

}  // namespace widehash
