#include <widehash/internal/file.hpp>
#include <widehash/internal/scratch_folder.hpp>

#include <filesystem>
#include <mutex>
#include <set>
#include <string_view>

namespace widehash {
namespace {

struct ScratchFolders {
  std::mutex mutex;
  std::multiset<std::string> paths;  // each ends in a slash
};

// Never destroyed, because threads may outlive objects of static storage.
ScratchFolders& folders() {
  static auto* const all = new ScratchFolders;
  return *all;
}

std::string as_folder(const std::string& path) {
  std::string folder = std::filesystem::path(fixed_path(path)).lexically_normal().string();
  if (!folder.ends_with('/')) folder += '/';
  return folder;
}

}  // namespace

ScratchFolder::ScratchFolder(const std::string& path) : path_(as_folder(path)) {
  const std::lock_guard lock(folders().mutex);
  folders().paths.insert(path_);
}

ScratchFolder::~ScratchFolder() {
  const std::lock_guard lock(folders().mutex);
  folders().paths.erase(folders().paths.find(path_));
}

bool is_scratch(const std::string& path) {
  const std::lock_guard lock(folders().mutex);
  if (folders().paths.empty() || path.empty()) return false;
  const std::string place = as_folder(path);
  for (const std::string& folder : folders().paths) {
    if (place.starts_with(folder)) return true;
  }
  return false;
}

}  // namespace widehash
