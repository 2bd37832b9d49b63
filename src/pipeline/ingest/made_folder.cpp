#include "made_folder.hpp"

#include <widehash/internal/file.hpp>

#include <filesystem>
#include <system_error>

#include <unistd.h>

namespace widehash {
namespace fs = std::filesystem;

MadeFolder::MadeFolder(const std::string& path) {
  for (fs::path folder = path; !folder.empty() && !file_exists(folder.string());
       folder = folder.parent_path())
    made_.push_back(folder.string());
  make_directories(path);
}

MadeFolder::~MadeFolder() {
  for (const std::string& folder : made_) ::rmdir(folder.c_str());  // fails where it is not empty
}

}  // namespace widehash
