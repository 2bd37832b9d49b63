#pragma once

/// \file
/// A schema together with the text it was read from.

#include <widehash/schema.hpp>

#include <string>
#include <utility>

namespace widehash {

/// What datasets, tables and models keep: the text with its comments. A schema built in code may have no
/// text; then to_toml(schema) is kept.
struct SchemaSource {
  SchemaSource() = default;
  /// Implicit, so that jobs take a schema as it is.
  // NOLINTNEXTLINE(google-explicit-constructor)
  SchemaSource(Schema made, std::string text = {}) : schema(std::move(made)), toml(std::move(text)) {}

  Schema schema;
  std::string toml;
};
/// The same with a text, that of the caller or to_toml(schema). Throws ConfigError where the schema
/// contradicts itself, or the text is not that of a schema with its fingerprint.
SchemaSource with_own_text(SchemaSource source);
/// Throws FileError; ConfigError naming the line.
SchemaSource load_schema_source(const std::string& path);

}  // namespace widehash
