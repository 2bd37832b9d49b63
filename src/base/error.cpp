#include <widehash/error.hpp>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace widehash {
namespace {

const char* hint(int code) {
  switch (code) {
    case ENOENT:
      return "; check the path";
    case EACCES:
    case EPERM:
    case EROFS:
      return "; choose a place you have access to, or change its permissions";
    case ENOSPC:
    case EDQUOT:
      return "; free some space and start again";
    case EFBIG:
      return "; raise the file size limit (ulimit -f), or choose a file system that allows larger files";
    case EISDIR:
      return "; expected a file: name the files inside, for example with a glob";
    case ENOTDIR:
      return "; a part of the path is a file and not a folder";
    case ENAMETOOLONG:
      return "; give a shorter name";
    case EIO:
      return "; the device is failing: check the system log, and start again on a healthy one";
    case EMFILE:
    case ENFILE:
      return "; raise the limit on open files (ulimit -n)";
    default:
      return "";
  }
}

std::string locate(const std::string& path, std::uint64_t row, const std::string& what) {
  std::string text = row == 0 ? fmt::format("{}: {}", path, what) : fmt::format("{}:{}: {}", path, row, what);
  // what() ends at the first zero byte, which a value may hold.
  for (std::size_t at = text.find('\0'); at != std::string::npos; at = text.find('\0', at))
    text.replace(at, 1, "\\x00");
  return text;
}

}  // namespace

DataError::DataError(std::string path, std::uint64_t row, const std::string& what)
    : Error(locate(path, row, what)), path_(std::move(path)), row_(row) {}

FileError::FileError(std::string path, const std::string& action, int code)
    : Error(fmt::format("{}: {}: {}{}", path, action, std::strerror(code), hint(code))),
      path_(std::move(path)),
      code_(code) {}

FileError::FileError(const FileError& error, const std::string& state)
    : Error(fmt::format("{}; {}", error.what(), state)), path_(error.path_), code_(error.code_) {}

FileError FileError::when_full(const std::string& state) const {
  return code_ == ENOSPC || code_ == EDQUOT ? FileError(*this, state) : *this;
}

}  // namespace widehash
