#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/schema_source.hpp>

namespace widehash {

SchemaSource load_schema_source(const std::string& path) {
  std::string toml = read_schema_text(path);
  return {parse_schema(toml, path), std::move(toml)};
}

SchemaSource with_own_text(SchemaSource source) {
  check_schema(source.schema, "schema");
  if (source.toml.empty()) {
    source.toml = to_toml(source.schema);
  } else if (parse_schema(source.toml, "schema").fingerprint() != source.schema.fingerprint()) {
    throw ConfigError("the text is that of another schema; leave it empty to have it made");
  }
  return source;
}

}  // namespace widehash
