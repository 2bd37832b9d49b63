#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/read_places.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace widehash {
namespace fs = std::filesystem;
namespace {

using FileId = std::pair<dev_t, ino_t>;

// Follows links: what counts is the file at their end.
std::optional<FileId> id_of(const std::string& path, mode_t kind) {
  struct stat info {};
  const int result = path == "-" ? ::fstat(STDIN_FILENO, &info) : ::stat(path.c_str(), &info);
  if (result != 0 || (info.st_mode & S_IFMT) != kind) return std::nullopt;
  return FileId{info.st_dev, info.st_ino};
}

// The regular files that are read, keyed by identity, so that a folder of thousands of files can be checked
// against as many.
class ReadFiles {
 public:
  explicit ReadFiles(const ReadPlaces& read) {
    add(read.files, false);
    add(read.sources, true);
  }

  // Throws if `written`, which `output` names or leads to, is one of these files.
  void refuse(const std::string& output, const std::string& written) const {
    const auto id = id_of(written, S_IFREG);
    const auto found = id ? paths_.find(*id) : paths_.end();
    if (found == paths_.end()) return;
    const auto& [path, is_source] = found->second;
    if (is_source) {
      throw ConfigError(
          fmt::format("{}: is an input the dataset was made from and would be overwritten; choose another "
                      "place for the output",
                      written));
    }
    const std::string input = path == "-" ? "the standard input" : path;
    const std::string by_way = written == output ? "" : fmt::format(" (through {})", written);
    throw ConfigError(
        fmt::format("{}: would overwrite {}{}, which this run reads; choose another place for the output",
                    output, input, by_way));
  }

 private:
  void add(const std::vector<std::string>& paths, bool are_sources) {
    for (const std::string& path : paths)
      if (const auto id = id_of(path, S_IFREG)) paths_.emplace(*id, std::pair(path, are_sources));
  }

  std::map<FileId, std::pair<std::string, bool>> paths_;  // with whether it is a source
};

void refuse_folder_above(const std::string& output, const fs::path& place, const ReadPlaces& read) {
  for (fs::path above = place; !above.empty(); above = above.parent_path()) {
    const auto id = id_of(above.string(), S_IFDIR);
    for (const std::string& folder : read.folders) {
      if (!id || folder.empty() || id_of(folder, S_IFDIR) != id) continue;
      throw ConfigError(fmt::format(
          "{}: is in {}, which this run reads; choose a place outside it for the output", output, folder));
    }
    if (above == above.root_path()) return;
  }
}

// Checks the place of `output` and, if it is a link, the place that it leads to, even if nothing is there
// yet.
void refuse_read_folders(const std::string& output, const ReadPlaces& read) {
  std::error_code ignored;
  const fs::path path = fs::absolute(output, ignored).lexically_normal();
  refuse_folder_above(output, fs::weakly_canonical(path.parent_path(), ignored), read);
  refuse_folder_above(output, fs::weakly_canonical(behind_links(path.string()), ignored), read);
}

}  // namespace

void require_apart(const std::string& output, const ReadPlaces& read) {
  if (output == "-") return;
  const ReadFiles files(read);
  for (const std::string& written : {output, aside_path_of(output), lock_path_of(output)})
    files.refuse(output, written);
  refuse_read_folders(output, read);
}

void require_folder_apart(const std::string& output, const std::function<bool(std::string_view)>& is_written,
                          const ReadPlaces& read) {
  refuse_read_folders(output, read);
  const ReadFiles files(read);
  std::error_code ignored;
  for (fs::directory_iterator item(output, ignored), end; !ignored && item != end; item.increment(ignored)) {
    if (is_written(item->path().filename().string())) files.refuse(output, item->path().string());
  }
}

}  // namespace widehash
