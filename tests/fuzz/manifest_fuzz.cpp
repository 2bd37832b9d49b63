// A manifest, unchanged or with its checksum made valid, is refused or adds up. The same holds for the list
// of lookup tables.
#include "claims.hpp"
#include "fuzz_bytes.hpp"
#include "memory_folder.hpp"

#include <widehash/checksum.hpp>
#include <widehash/error.hpp>
#include <widehash/manifest.hpp>
#include <widehash/table_set.hpp>

#include <span>
#include <string>

#include <nlohmann/json.hpp>

using namespace widehash;
using Json = nlohmann::ordered_json;

namespace {

std::string dump(const Json& json) { return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"; }

/// The text with its checksum made valid, if it is JSON.
std::string sealed(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return std::string(text);
  json.erase("checksum");
  const std::string body = dump(json);
  json["checksum"] = to_hex(checksum(std::as_bytes(std::span(body))));
  return dump(json);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFolder dataset("manifest.json");
  static fuzz::MemoryFolder tables("tables.json");
  fuzz::FuzzBytes input(data, size);
  const unsigned choice = input.byte();
  if ((choice & 2) != 0) {
    tables.set(input.rest());
    try {
      fuzz::require(!load_table_set(tables.path()).fingerprint.empty(), "tables have a fingerprint");
    } catch (const DataError&) {
    }
    return 0;
  }
  dataset.set((choice & 1) != 0 ? std::string(input.rest()) : sealed(input.rest()));
  try {
    const Manifest manifest = load_manifest(dataset.path());
    std::uint64_t rows = 0;
    for (const ManifestShard& shard : manifest.shards) {
      rows += shard.rows;
      fuzz::require(shard.file.find('/') == std::string::npos, "shards lie in the folder");
    }
    fuzz::require(rows == manifest.rows, "shards hold the rows of the total");
  } catch (const DataError&) {
  }
  return 0;
}
