#pragma once

/// \file
/// Remembers where each setting of a schema was written, so that a check of the finished Schema can still
/// name the line.

#include <widehash/schema.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace widehash::detail {

/// Settings are addressed by path: "seed", "label.classes", "feature.3" (counted from 0),
/// "feature.3.cardinality".
class SchemaPlace {
 public:
  explicit SchemaPlace(std::string source_name) : source_(std::move(source_name)) {}

  void remember(const std::string& path, std::uint32_t line) { lines_.emplace(path, line); }
  bool written(const std::string& path) const { return lines_.contains(path); }

  /// Throws ConfigError "source:line: what", with the line of `path` or, if unknown, of the setting that
  /// contains it. Omits the line if neither is known.
  [[noreturn]] void fail(const std::string& path, const std::string& what) const;
  [[noreturn]] void fail_at_line(std::uint32_t line, const std::string& what) const;

 private:
  std::string source_;
  std::map<std::string, std::uint32_t> lines_;
};

std::string feature_path(std::size_t index);

/// check_schema() with line numbers in its messages.
void check_schema_at(const Schema& schema, const SchemaPlace& place);

}  // namespace widehash::detail
