#include "fit_record.hpp"

#include <widehash/checksum.hpp>
#include <widehash/file.hpp>
#include <widehash/json_count.hpp>

#include <exception>
#include <span>

#include <nlohmann/json.hpp>

namespace widehash {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* version_key = "widehash_fit";
constexpr int record_version = 1;

std::string text_of(const FitRecord& record) {
  Json json = {{version_key, record_version},
               {"schema_fingerprint", record.schema_fingerprint},
               {"tables_fingerprint", record.tables_fingerprint},
               {"rejected_rows", record.rejected_rows}};
  json["inputs"] = Json::array();
  for (const InputSign& input : record.inputs) {
    json["inputs"].push_back(
        {{"path", input.path}, {"size_bytes", input.size_bytes}, {"sample", to_hex(input.sample)}});
  }
  const auto dump = [&json] { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; };
  const std::string text = dump();
  json["checksum"] = to_hex(checksum(std::as_bytes(std::span(text))));
  return dump();
}

FitRecord parse(const std::string& text) {
  const Json json = Json::parse(text);
  FitRecord record;
  record.schema_fingerprint = json.at("schema_fingerprint").get<std::string>();
  record.tables_fingerprint = json.at("tables_fingerprint").get<std::string>();
  record.rejected_rows = detail::json_count(json, "rejected_rows");
  for (const auto& input : json.at("inputs")) {
    record.inputs.push_back({input.at("path").get<std::string>(), detail::json_count(input, "size_bytes"),
                             from_hex(input.at("sample").get<std::string>())});
  }
  return record;
}

}  // namespace

void write_fit_record(const FitRecord& record, const std::string& directory) {
  write_text_file(directory + "/" + fit_record_name, text_of(record));
}

std::optional<FitRecord> read_fit_record(const std::string& directory) {
  const std::string path = directory + "/" + fit_record_name;
  if (!file_exists(path)) return std::nullopt;
  const std::string text = read_text_file(path);
  try {
    FitRecord record = parse(text);
    if (text_of(record) == text) return record;
  } catch (const std::exception&) {
    // Without a record nothing is taken for the same, which is all that is asked of it.
  }
  return std::nullopt;
}

}  // namespace widehash
