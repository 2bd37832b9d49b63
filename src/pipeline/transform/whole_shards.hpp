#pragma once

/// \file
/// Checks whether the shards that a list names are on disk as it names them. A cheap check of head, footer
/// and size, not of every byte.

#include <widehash/manifest.hpp>

#include <string>
#include <string_view>

namespace widehash {

/// Returns whether the shard is in the folder and whole, as far as its head, footer and size tell. Throws
/// FileError where it exists and cannot be read: its state is then unknown.
bool shard_is_whole(const std::string& directory, const ManifestShard& shard);

/// Throws DataError naming the first shard of the manifest that is not in the folder or not whole, followed by
/// `advice`; FileError where one cannot be read.
void require_whole_shards(const std::string& directory, const Manifest& manifest, std::string_view advice);

}  // namespace widehash
