#include <widehash/error.hpp>
#include <widehash/input.hpp>

#include <algorithm>
#include <cerrno>

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

Input describe(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) throw FileError(path, "cannot open", errno);
  if (S_ISDIR(info.st_mode)) throw FileError(path, "cannot read", EISDIR);
  if (::access(path.c_str(), R_OK) != 0) throw FileError(path, "cannot read", errno);
  const bool regular = S_ISREG(info.st_mode);
  return {.path = path,
          .size_bytes = regular ? static_cast<std::uint64_t>(info.st_size) : 0,
          .is_stream = !regular};
}

/// In the order of their bytes: glob(3) itself sorts by the locale, and the order of inputs is the order of
/// rows.
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
  std::vector<Input> inputs;
  bool standard_input_taken = false;
  for (const std::string& pattern : patterns) {
    if (pattern == "-") {
      if (standard_input_taken) {
        throw ConfigError("the input '-' (standard input) is given twice, but it can be read only once");
      }
      standard_input_taken = true;
      inputs.push_back({.path = pattern, .size_bytes = 0, .is_stream = true});
    } else if (pattern.find_first_of("*?[") == std::string::npos || exists(pattern)) {
      inputs.push_back(describe(pattern));
    } else {
      const std::vector<std::string> paths = matches(pattern);
      if (paths.empty()) {
        throw ConfigError(fmt::format("no file matches '{}'; check the folder and the pattern", pattern));
      }
      for (const std::string& path : paths) inputs.push_back(describe(path));
    }
  }
  return inputs;
}

}  // namespace widehash
