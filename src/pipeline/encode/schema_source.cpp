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
    throw ConfigError("a schema and the text of another one; leave the text empty, and it is made");
  }
  return source;
}

}  // namespace widehash
