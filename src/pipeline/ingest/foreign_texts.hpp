#pragma once

#include <string>
#include <string_view>

namespace widehash {

/// Of a folder without a dataset, tables or an unfinished run, and without --overwrite. Throws ConfigError where
/// its schema.toml is not `schema_toml`, or its rejected.tsv is no list of bad rows: both would be replaced, and
/// are somebody's.
void refuse_foreign_texts(const std::string& directory, std::string_view schema_toml);

}  // namespace widehash
