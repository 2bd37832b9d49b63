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
      return "; choose a place you may use, or change its permissions";
    case ENOSPC:
    case EDQUOT:
      return "; free some space and start again";
    case EFBIG:
      return "; raise the limit of the size of files (ulimit -f), or choose a file system that takes longer "
             "ones";
    case EISDIR:
      return "; a file is needed here: name the files inside, for example with a glob";
    case EIO:
      return "; the device fails: see the system's log, and start again on a sound one";
    case EMFILE:
    case ENFILE:
      return "; raise the limit of open files (ulimit -n)";
    default:
      return "";
  }
}

std::string locate(const std::string& path, std::uint64_t row, const std::string& what) {
  return row == 0 ? fmt::format("{}: {}", path, what) : fmt::format("{}:{}: {}", path, row, what);
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
