#include "made_folder.hpp"

#include <widehash/file.hpp>

#include <filesystem>
#include <system_error>

#include <unistd.h>

namespace widehash {
namespace fs = std::filesystem;

MadeFolder::MadeFolder(const std::string& path) {
  std::error_code ignored;
  for (fs::path folder = path; !folder.empty() && !fs::exists(folder, ignored); folder = folder.parent_path())
    made_.push_back(folder.string());
  make_directories(path);
}

MadeFolder::~MadeFolder() {
  for (const std::string& folder : made_) ::rmdir(folder.c_str());  // fails where it is not empty
}

}  // namespace widehash
