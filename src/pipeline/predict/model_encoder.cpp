#include "model_encoder.hpp"

#include <widehash/error.hpp>

#include <utility>

#include <fmt/format.h>

namespace widehash {

void require_tables_of(const ModelSource& source, const std::string& model,
                       const std::string& tables_directory, const std::string& tables_fingerprint) {
  if (tables_fingerprint == source.tables_fingerprint) return;
  throw ConfigError(
      fmt::format("{}: the tables in {} are not those the model was trained with; give the folder that "
                  "`fit` wrote then",
                  model, tables_directory));
}

Encoder encoder_of(const ModelSource& source, const std::string& model, const std::string& tables_directory) {
  Schema schema = parse_schema(source.schema_toml, model);
  // Tables that the rows do not need are ignored, so that a script need not know which models have some.
  const bool are_needed = needs_tables(schema);
  Encoder encoder(std::move(schema), are_needed ? tables_directory : "");
  require_tables_of(source, model, tables_directory, encoder.fingerprint().tables);
  return encoder;
}

}  // namespace widehash
