#include "whole_shards.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/internal/section_file.hpp>
#include <widehash/shard.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

namespace widehash {

bool shard_is_whole(const std::string& directory, const ManifestShard& shard) {
  try {
    const SectionFile file(in_folder(directory, shard.file), shard_kind);
    return file.file_bytes() == shard.bytes && file.footer_checksum() == shard.checksum;
  } catch (const DataError&) {
    return false;
  } catch (const FileError& error) {
    if (error.code() == ENOENT) return false;
    throw;
  }
}

void require_whole_shards(const std::string& directory, const Manifest& manifest, std::string_view advice) {
  const std::vector<ManifestShard>& shards = manifest.shards;
  std::vector<char> is_whole(shards.size(), 0);  // not bool: threads cannot set bits of one byte concurrently
  parallel_for(shards.size(),
               [&](std::size_t i) { is_whole[i] = shard_is_whole(directory, shards[i]) ? 1 : 0; });
  const auto first = std::find(is_whole.begin(), is_whole.end(), 0);
  if (first == is_whole.end()) return;
  const std::string path =
      in_folder(directory, shards[static_cast<std::size_t>(first - is_whole.begin())].file);
  throw DataError(path, 0,
                  fmt::format("{} ({} of {} shards missing or different); {}",
                              file_exists(path) ? "is not the file that the manifest names" : "is missing",
                              std::count(is_whole.begin(), is_whole.end(), 0), shards.size(), advice));
}

}  // namespace widehash
