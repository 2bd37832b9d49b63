#pragma once

/// \file
/// A schema together with the text that it was read from.

#include <widehash/schema.hpp>

#include <string>

namespace widehash {

/// A schema and the text it was read from, which datasets keep with its comments.
struct SchemaSource {
  Schema schema;
  std::string toml;
};
/// Throws FileError; ConfigError naming the line.
SchemaSource load_schema_source(const std::string& path);

}  // namespace widehash
