// A schema is refused with an error, or means the same after it is written and read again; its layout can be
// made or is refused.
#include "claims.hpp"

#include <widehash/code_layout.hpp>
#include <widehash/error.hpp>
#include <widehash/schema.hpp>

#include <cstdint>
#include <string>
#include <vector>

using namespace widehash;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  Schema schema;
  try {
    schema = parse_schema(text, "schema.toml");
  } catch (const ConfigError&) {
    return 0;
  }
  const std::string written = to_toml(schema);
  const Schema again = parse_schema(written, "written.toml");
  fuzz::require(again.fingerprint() == schema.fingerprint(), "a schema that is written reads back");
  fuzz::require(to_toml(again) == written, "a schema is written in one way");
  try {
    const CodeLayout layout = make_layout(schema, std::vector<std::uint32_t>(schema.features.size(), 0));
    fuzz::require(layout.blocks.size() == schema.features.size(), "every feature has its block");
  } catch (const ConfigError&) {
  } catch (const ShapeError&) {
  }
  return 0;
}
