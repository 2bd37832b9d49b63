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
  /// Implicit, so that functions accept a plain Schema.
  // NOLINTNEXTLINE(google-explicit-constructor)
  SchemaSource(Schema made, std::string text = {}) : schema(std::move(made)), toml(std::move(text)) {}

  Schema schema;
  std::string toml;
};
/// Returns `source` with a text: the caller's, or to_toml(schema) if there is none. Throws ConfigError if the
/// schema contradicts itself, or if the text is not a schema with the same fingerprint.
SchemaSource with_own_text(SchemaSource source);
/// Reads a schema file and keeps its text. Throws FileError; ConfigError naming the line.
SchemaSource load_schema_source(const std::string& path);

}  // namespace widehash
