#include "output.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/internal/parse_all.hpp>
#include <widehash/internal/section_file.hpp>
#include <widehash/internal/write_all.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace widehash::tools {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18;
constexpr const char* standard_output_name = "standard output";

void write_all(int descriptor, std::string_view text, const std::string& name, const char* state) {
  if (const int code = widehash::write_all(descriptor, std::as_bytes(std::span(text))); code != 0)
    throw FileError(name, "cannot write", code).when_full(state);
}

// Whether `path` is something that is written to directly instead of being replaced.
bool is_stream(const std::string& path) {
  if (own_descriptor(path)) return true;
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

}  // namespace

std::optional<int> own_descriptor(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int most_links = 40;
  std::error_code failed;
  const fs::path descriptors = fs::canonical("/proc/self/fd", failed);
  if (failed) return std::nullopt;
  fs::path place = path;
  for (int links = 0; links < most_links; ++links) {
    const fs::path folder = place.has_parent_path() ? place.parent_path() : fs::path(".");
    if (fs::canonical(folder, failed) == descriptors && !failed) {
      return detail::parse_all<int>(place.filename().string());
    }
    const fs::path next = fs::read_symlink(place, failed);
    if (failed) return std::nullopt;
    place = folder / next;
  }
  return std::nullopt;
}

void require_file_place(const std::string& path) {
  if (is_stream(path) || is_folder(path)) {
    throw ConfigError(path + ": is not a file and would be overwritten; give the path of a file");
  }
  // Checked without a trial file: another run may be writing its temporary file for `path` at this moment.
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (std::error_code unknown;
      !folder.empty() && std::filesystem::exists(folder, unknown) && !is_folder(folder))
    throw FileError(path, "cannot write", ENOTDIR);
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0)
    throw FileError(path, "cannot write", errno);
}

void require_folder_name(const std::string& path) {
  if (path != "-") return;
  throw ConfigError(
      "-o -: the output is a folder, which the standard output cannot hold; name a folder (./- for one named "
      "-)");
}

void refuse_valued_file(const std::string& path) {
  if (!is_place_for_file(path) || !file_exists(path) || is_folder(path)) return;
  std::string start(section_magic.size(), '\0');
  std::ifstream(path, std::ios::binary).read(start.data(), static_cast<std::streamsize>(start.size()));
  static constexpr std::string_view lists[] = {manifest_name, table_list_name, fit_record_name, journal_name};
  const std::string name = std::filesystem::path(path).filename().string();
  const char* const what = start == section_magic    ? "a file that widehash wrote in its own format"
                           : path.ends_with(".toml") ? "a schema by its name"
                           : std::ranges::count(lists, name) > 0
                               ? "by its name what a dataset or tables consist of"
                               : nullptr;
  if (what != nullptr)
    throw ConfigError(fmt::format("{}: is {} and would be overwritten; give another path", path, what));
}

bool is_place_for_file(const std::string& path) { return path != "-" && !is_stream(path); }

void write_standard_output(std::string_view text) {
  write_all(STDOUT_FILENO, text, standard_output_name,
            "the printed output is incomplete, but files that the command made are whole");
}

void write_warning(std::string_view text) {
  const std::string line = fmt::format("widehash: {}{}", text, text.ends_with('\n') ? "" : "\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
}

TextOutput::TextOutput(std::string path) : path_(std::move(path)) {
  if (path_ == "-") {
    path_ = standard_output_name;
    descriptor_ = STDOUT_FILENO;
  } else if (is_stream(path_)) {
    // A descriptor of this process is duplicated, not opened again: it has a position in its file, after what
    // others have written to it.
    const auto own = own_descriptor(path_);
    descriptor_ =
        own ? ::fcntl(*own, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw FileError(path_, "cannot open", errno);
  } else {
    lock_ = std::make_unique<FileLock>(path_);
    file_ = std::make_unique<AtomicFile>(path_);
  }
}

TextOutput::~TextOutput() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
}

void TextOutput::write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= buffer_bytes) flush();
}

void TextOutput::finish() {
  flush();
  if (file_) file_->commit();
}

void TextOutput::flush() {
  if (file_) {
    file_->write(buffer_);
  } else {
    write_all(descriptor_, buffer_, path_, "what was written so far is incomplete");
  }
  buffer_.clear();
}

}  // namespace widehash::tools
