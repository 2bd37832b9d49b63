#include <widehash/file.hpp>
#include <widehash/schema_source.hpp>

namespace widehash {

SchemaSource load_schema_source(const std::string& path) {
  std::string toml = read_text_file(path);
  return {parse_schema(toml, path), std::move(toml)};
}

}  // namespace widehash
