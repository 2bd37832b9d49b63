#pragma once

#include <string>
#include <string_view>

namespace widehash {

/// For a folder without a dataset, tables or an unfinished run, where --overwrite is not given. Throws
/// ConfigError where its schema.toml is not `schema_toml`, or its rejected.tsv is not a list of bad rows:
/// both would be replaced, and did not come from this program.
void refuse_foreign_texts(const std::string& directory, std::string_view schema_toml);

}  // namespace widehash
