#pragma once

/// \file
/// Whether shards that a list names are on disk as it names them. A cheap look at head, footer and size, not
/// at every byte.

#include <widehash/manifest.hpp>

#include <string>

namespace widehash {

/// Whether the shard is in the folder, whole as far as its head, its footer and its size tell. Throws
/// FileError where it is there and cannot be read: then nobody knows.
bool shard_is_whole(const std::string& directory, const ManifestShard& shard);

/// Throws DataError naming the first shard of the manifest for which that is not so, and saying that
/// --overwrite writes it again; FileError where one cannot be read.
void require_whole_shards(const std::string& directory, const Manifest& manifest);

}  // namespace widehash
