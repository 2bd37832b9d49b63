#include <widehash/error.hpp>
#include <widehash/input.hpp>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

namespace widehash {
namespace {

bool exists(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

/// The files of a run so far, kept to find a file that is given twice: its rows would silently count twice. A
/// user who makes links may mean it, so links are only reported.
class GivenFiles {
 public:
  /// Throws ConfigError if the file was added before under the same name or another spelling of it.
  /// `pattern` is the argument that named the file. Returns the path of the first file that is the same file
  /// by a link; empty if there is none.
  std::string add(const std::string& path, const std::string& pattern, const struct stat& info) {
    std::error_code no_folder;
    const std::string place = std::filesystem::absolute(path, no_folder).lexically_normal().string();
    const auto [before, is_new] = files_.try_emplace(place, Given{path, pattern, info.st_dev, info.st_ino});
    // Where `..` follows a link, the same text may stand for two places.
    const Given& first = before->second;
    if (is_new || first.device != info.st_dev || first.inode != info.st_ino)
      return S_ISREG(info.st_mode) ? first_of(path, info) : "";
    throw ConfigError(
        fmt::format("the input {} is given again as {}, so its rows would count twice; leave one out",
                    first.spelling(), Given{path, pattern, info.st_dev, info.st_ino}.spelling()));
  }

 private:
  std::string first_of(const std::string& path, const struct stat& info) {
    const auto [first, is_new] = by_number_.try_emplace(std::pair(info.st_dev, info.st_ino), path);
    return is_new ? "" : first->second;
  }

  struct Given {
    std::string path;
    std::string pattern;
    dev_t device;
    ino_t inode;

    std::string spelling() const {
      return path == pattern ? fmt::format("'{}'", path) : fmt::format("'{}' (of '{}')", path, pattern);
    }
  };
  std::unordered_map<std::string, Given> files_;  // by absolute path
  std::map<std::pair<dev_t, ino_t>, std::string> by_number_;
};

/// Throws if standard input is closed, or open for writing only, as nohup leaves it: otherwise reading
/// would fail after everything else is prepared.
void require_standard_input() {
  const int flags = ::fcntl(STDIN_FILENO, F_GETFL);
  if (flags >= 0 && (flags & O_ACCMODE) != O_WRONLY) return;
  throw ConfigError(
      "the input '-' (standard input) is closed; pipe the rows into the program, or name a file");
}

/// glob(3) treats ** as *, so files in deeper folders would silently be left out.
void refuse_any_depth(const std::string& pattern) {
  const std::size_t at = pattern.find("**");
  if (at == std::string::npos || (at > 0 && pattern[at - 1] == '\\')) return;
  throw ConfigError(
      fmt::format("'{}': ** for folders of any depth is not supported; write a * for each level of folders "
                  "(as in 'days/*/*.tsv'), or let the shell list the files: $(find days -name '*.tsv')",
                  pattern));
}

Input describe(const std::string& path, const std::string& pattern, GivenFiles& given) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) throw FileError(path, "cannot open", errno);
  if (S_ISDIR(info.st_mode)) throw FileError(path, "cannot read", EISDIR);
  if (::access(path.c_str(), R_OK) != 0) throw FileError(path, "cannot read", errno);
  std::string linked_to = given.add(path, pattern, info);
  const bool regular = S_ISREG(info.st_mode);
  return {.path = path,
          .size_bytes = regular ? static_cast<std::uint64_t>(info.st_size) : 0,
          .is_stream = !regular,
          .linked_to = std::move(linked_to)};
}

/// Returns the matching paths in the order of their bytes: glob(3) itself sorts by the locale, and the order
/// of inputs is the order of rows.
std::vector<std::string> matches(const std::string& pattern) {
  glob_t found{};
  const int result = ::glob(pattern.c_str(), GLOB_NOSORT | GLOB_ERR, nullptr, &found);
  const int code = errno;
  std::vector<std::string> paths(found.gl_pathv, found.gl_pathv + (result == 0 ? found.gl_pathc : 0));
  ::globfree(&found);
  if (result == GLOB_NOSPACE) throw FileError(pattern, "cannot look for matching files", ENOMEM);
  if (result == GLOB_ABORTED) throw FileError(pattern, "cannot look for matching files", code);
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

std::vector<Input> expand_inputs(const std::vector<std::string>& patterns) {
  if (patterns.empty())
    throw ConfigError("no inputs are given; name files, globs, or - for the standard input");
  std::vector<Input> inputs;
  GivenFiles given;
  bool standard_input_taken = false;
  for (const std::string& pattern : patterns) {
    if (pattern.empty())
      throw ConfigError("an input is empty (''); name a file, a glob, or - for the standard input");
    if (pattern == "-") {
      if (standard_input_taken) {
        throw ConfigError("the input '-' (standard input) is given twice, but it can be read only once");
      }
      standard_input_taken = true;
      require_standard_input();
      inputs.push_back({.path = pattern, .size_bytes = 0, .is_stream = true});
    } else if (pattern.find_first_of("*?[") == std::string::npos || exists(pattern)) {
      inputs.push_back(describe(pattern, pattern, given));
    } else {
      refuse_any_depth(pattern);
      const std::vector<std::string> paths = matches(pattern);
      if (paths.empty()) {
        throw ConfigError(fmt::format("no file matches '{}'; check the folder and the pattern", pattern));
      }
      for (const std::string& path : paths) inputs.push_back(describe(path, pattern, given));
    }
  }
  return inputs;
}

}  // namespace widehash
