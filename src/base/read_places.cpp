#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/read_places.hpp>

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace widehash {
namespace fs = std::filesystem;
namespace {

using FileId = std::pair<dev_t, ino_t>;

// Links are followed: what counts is the file at their end.
std::optional<FileId> id_of(const std::string& path, mode_t kind) {
  struct stat info {};
  const int result = path == "-" ? ::fstat(STDIN_FILENO, &info) : ::stat(path.c_str(), &info);
  if (result != 0 || (info.st_mode & S_IFMT) != kind) return std::nullopt;
  return FileId{info.st_dev, info.st_ino};
}

void refuse_read_file(const std::string& output, const std::string& written, const ReadPlaces& read) {
  const auto id = id_of(written, S_IFREG);
  if (!id) return;
  for (const std::string& file : read.files) {
    if (id_of(file, S_IFREG) != id) continue;
    const std::string input = file == "-" ? "the standard input" : file;
    const std::string by_way = written == output ? "" : fmt::format(" by way of {}", written);
    throw ConfigError(
        fmt::format("{}: would replace what is read from {}{}; choose another place for the output", output,
                    input, by_way));
  }
  for (const std::string& source : read.sources) {
    if (id_of(source, S_IFREG) != id) continue;
    throw ConfigError(fmt::format(
        "{}: is an input that the dataset was made from, and would be replaced; choose another place "
        "for the output",
        written));
  }
}

void refuse_folder_above(const std::string& output, const fs::path& place, const ReadPlaces& read) {
  for (fs::path above = place; !above.empty(); above = above.parent_path()) {
    const auto id = id_of(above.string(), S_IFDIR);
    for (const std::string& folder : read.folders) {
      if (!id || folder.empty() || id_of(folder, S_IFDIR) != id) continue;
      throw ConfigError(fmt::format(
          "{}: is in {}, which is read; choose a place outside of it for the output", output, folder));
    }
    if (above == above.root_path()) return;
  }
}

// Its own place, and where it is a link, what it leads to, also where nothing is there yet.
void refuse_read_folders(const std::string& output, const ReadPlaces& read) {
  std::error_code ignored;
  const fs::path path = fs::absolute(output, ignored).lexically_normal();
  refuse_folder_above(output, fs::weakly_canonical(path.parent_path(), ignored), read);
  refuse_folder_above(output, fs::weakly_canonical(behind_links(path.string()), ignored), read);
}

}  // namespace

void require_apart(const std::string& output, const ReadPlaces& read) {
  if (output == "-") return;
  refuse_read_file(output, output, read);
  for (const std::string& beside : {aside_path_of(output), lock_path_of(output)})
    refuse_read_file(output, beside, read);
  refuse_read_folders(output, read);
}

void require_folder_apart(const std::string& output, const std::function<bool(std::string_view)>& is_written,
                          const ReadPlaces& read) {
  refuse_read_folders(output, read);
  std::error_code ignored;
  for (fs::directory_iterator item(output, ignored), end; !ignored && item != end; item.increment(ignored)) {
    if (is_written(item->path().filename().string())) refuse_read_file(output, item->path().string(), read);
  }
}

}  // namespace widehash
