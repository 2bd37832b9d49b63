// This library is loaded before the C library (LD_PRELOAD). It counts the calls that a program makes on files
// below a folder, and makes one of them fail, be cut short, or be the last thing that the process does. The
// environment says what to do:
//
//     FAULT_FOLDER  absolute path of the folder; without it nothing happens
//     FAULT_AT      number of the call to disturb, from 1; 0 or empty: only count
//     FAULT_KIND    ENOSPC | EIO    the call fails; with FAULT_ON=1 so does every later one that could
//                   short           half of the bytes are written or read
//                   kill            SIGKILL before the call
//                   torn            SIGKILL after half of the bytes are written
//     FAULT_LOG     file that gets a line per call: number, what, path
//     FAULT_RANK    under mpirun, the one process to disturb
//
// Only calls that a full disk can refuse fail with ENOSPC. On one thread, the numbers are the same in every run.

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

enum class Kind { none, enospc, eio, cut, kill, torn };

struct Plan {
  std::string folder;
  long at = 0;
  Kind kind = Kind::none;
  bool on = false;
  int log = -1;
};

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Plan read_plan() {
  Plan plan;
  const std::string rank = variable("FAULT_RANK");
  if (!rank.empty() && rank != variable("OMPI_COMM_WORLD_RANK")) return plan;
  plan.folder = variable("FAULT_FOLDER");
  plan.at = std::atol(variable("FAULT_AT"));
  const std::string_view kind = variable("FAULT_KIND");
  plan.kind = kind == "ENOSPC"  ? Kind::enospc
              : kind == "EIO"   ? Kind::eio
              : kind == "short" ? Kind::cut
              : kind == "kill"  ? Kind::kill
              : kind == "torn"  ? Kind::torn
                                : Kind::none;
  plan.on = std::string_view(variable("FAULT_ON")) == "1";
  const char* const log = variable("FAULT_LOG");
  // Calls the kernel directly, past the functions below.
  if (*log != '\0')
    plan.log = static_cast<int>(
        ::syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  return plan;
}

const Plan& plan() {
  static const Plan only = read_plan();
  return only;
}

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

// Paths of open files below the folder, by descriptor.
std::array<std::atomic<const char*>, 4096> open_paths{};
std::atomic<long> num_calls{0};

bool is_watched(const char* path) {
  const std::string& folder = plan().folder;
  return !folder.empty() && path != nullptr && std::string_view(path).starts_with(folder);
}

const char* watched_path(int descriptor) {
  if (descriptor < 0 || static_cast<std::size_t>(descriptor) >= open_paths.size()) return nullptr;
  return open_paths[static_cast<std::size_t>(descriptor)];
}

void remember(int descriptor, const char* path) {
  if (descriptor < 0 || static_cast<std::size_t>(descriptor) >= open_paths.size()) return;
  // Never freed: another thread may be about to print it.
  open_paths[static_cast<std::size_t>(descriptor)] = is_watched(path) ? ::strdup(path) : nullptr;
}

[[noreturn]] void end_at_once() {
  ::kill(::getpid(), SIGKILL);
  while (true) ::pause();
}

enum class Fate { go_on, fail, half };

/// Counts a call and decides what becomes of it. Sets `errno` if it is to fail.
Fate judge(const char* what, const char* path, bool may_lack_space, bool moves_bytes = false) {
  const long number = ++num_calls;
  if (plan().log >= 0) {
    const std::string line = std::to_string(number) + " " + what + " " + path + "\n";
    ::syscall(SYS_write, plan().log, line.data(), line.size());
  }
  const bool is_now = number == plan().at || (plan().on && plan().at > 0 && number > plan().at);
  if (!is_now) return Fate::go_on;
  switch (plan().kind) {
    case Kind::enospc:
      if (!may_lack_space) return Fate::go_on;
      errno = ENOSPC;
      return Fate::fail;
    case Kind::eio:
      errno = EIO;
      return Fate::fail;
    case Kind::kill:
      end_at_once();
    case Kind::cut:
    case Kind::torn:
      return moves_bytes ? Fate::half : Fate::go_on;
    case Kind::none:
      break;
  }
  return Fate::go_on;
}

template <class Open>
int watch_open(const char* path, int flags, const Open& open) {
  if (!is_watched(path)) {
    const int descriptor = open();
    remember(descriptor, nullptr);
    return descriptor;
  }
  const bool makes = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  if (judge(makes ? "open-new" : "open", path, makes) == Fate::fail) return -1;
  const int descriptor = open();
  remember(descriptor, path);
  return descriptor;
}

mode_t mode_of(int flags, va_list arguments) {
  const bool makes = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return makes ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

template <class Write>
ssize_t watch_write(int descriptor, std::size_t bytes, const Write& write) {
  const char* const path = watched_path(descriptor);
  if (path == nullptr) return write(bytes);
  switch (judge("write", path, true, true)) {
    case Fate::fail:
      return -1;
    case Fate::half: {
      const ssize_t written = write(std::max<std::size_t>(bytes / 2, bytes > 1 ? 1 : bytes));
      if (plan().kind == Kind::torn) end_at_once();
      return written;
    }
    case Fate::go_on:
      break;
  }
  return write(bytes);
}

template <class Read>
ssize_t watch_read(int descriptor, std::size_t bytes, const Read& read) {
  const char* const path = watched_path(descriptor);
  if (path == nullptr) return read(bytes);
  switch (judge("read", path, false, plan().kind == Kind::cut)) {
    case Fate::fail:
      return -1;
    case Fate::half:
      return read(std::max<std::size_t>(bytes / 2, bytes > 1 ? 1 : bytes));
    case Fate::go_on:
      break;
  }
  return read(bytes);
}

template <class Call>
int watch_path(const char* what, const char* path, bool may_lack_space, const Call& call) {
  if (is_watched(path) && judge(what, path, may_lack_space) == Fate::fail) return -1;
  return call();
}

template <class Call>
int watch_descriptor(const char* what, int descriptor, bool may_lack_space, const Call& call) {
  const char* const path = watched_path(descriptor);
  if (path != nullptr && judge(what, path, may_lack_space) == Fate::fail) return -1;
  return call();
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  static const auto next = real<int (*)(const char*, int, mode_t)>("open");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return watch_open(path, flags, [&] { return next(path, flags, mode); });
}

int open64(const char* path, int flags, ...) {
  static const auto next = real<int (*)(const char*, int, mode_t)>("open64");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return watch_open(path, flags, [&] { return next(path, flags, mode); });
}

int mkostemp(char* path, int flags) {
  static const auto next = real<int (*)(char*, int)>("mkostemp");
  return watch_open(path, flags | O_CREAT | O_RDWR, [&] { return next(path, flags); });
}

ssize_t write(int descriptor, const void* data, std::size_t bytes) {
  static const auto next = real<ssize_t (*)(int, const void*, std::size_t)>("write");
  return watch_write(descriptor, bytes, [&](std::size_t count) { return next(descriptor, data, count); });
}

ssize_t pwrite(int descriptor, const void* data, std::size_t bytes, off_t at) {
  static const auto next = real<ssize_t (*)(int, const void*, std::size_t, off_t)>("pwrite");
  return watch_write(descriptor, bytes, [&](std::size_t count) { return next(descriptor, data, count, at); });
}

ssize_t pwrite64(int descriptor, const void* data, std::size_t bytes, off64_t at) {
  static const auto next = real<ssize_t (*)(int, const void*, std::size_t, off64_t)>("pwrite64");
  return watch_write(descriptor, bytes, [&](std::size_t count) { return next(descriptor, data, count, at); });
}

ssize_t read(int descriptor, void* data, std::size_t bytes) {
  static const auto next = real<ssize_t (*)(int, void*, std::size_t)>("read");
  return watch_read(descriptor, bytes, [&](std::size_t count) { return next(descriptor, data, count); });
}

ssize_t pread(int descriptor, void* data, std::size_t bytes, off_t at) {
  static const auto next = real<ssize_t (*)(int, void*, std::size_t, off_t)>("pread");
  return watch_read(descriptor, bytes, [&](std::size_t count) { return next(descriptor, data, count, at); });
}

ssize_t pread64(int descriptor, void* data, std::size_t bytes, off64_t at) {
  static const auto next = real<ssize_t (*)(int, void*, std::size_t, off64_t)>("pread64");
  return watch_read(descriptor, bytes, [&](std::size_t count) { return next(descriptor, data, count, at); });
}

void* mmap(void* address, std::size_t bytes, int protection, int flags, int descriptor, off_t at) {
  static const auto next = real<void* (*)(void*, std::size_t, int, int, int, off_t)>("mmap");
  const char* const path = watched_path(descriptor);
  if (path != nullptr && judge("mmap", path, false) == Fate::fail) return MAP_FAILED;
  return next(address, bytes, protection, flags, descriptor, at);
}

int fsync(int descriptor) {
  static const auto next = real<int (*)(int)>("fsync");
  return watch_descriptor("fsync", descriptor, true, [&] { return next(descriptor); });
}

int fdatasync(int descriptor) {
  static const auto next = real<int (*)(int)>("fdatasync");
  return watch_descriptor("fsync", descriptor, true, [&] { return next(descriptor); });
}

int ftruncate(int descriptor, off_t bytes) {
  static const auto next = real<int (*)(int, off_t)>("ftruncate");
  return watch_descriptor("ftruncate", descriptor, true, [&] { return next(descriptor, bytes); });
}

int close(int descriptor) {
  static const auto next = real<int (*)(int)>("close");
  const char* const path = watched_path(descriptor);
  if (path == nullptr) return next(descriptor);
  const Fate fate = judge("close", path, true);
  const int code = errno;
  remember(descriptor, nullptr);
  const int result = next(descriptor);  // a descriptor is gone even if close() reports a late error
  if (fate != Fate::fail) return result;
  errno = code;
  return -1;
}

int rename(const char* from, const char* to) {
  static const auto next = real<int (*)(const char*, const char*)>("rename");
  return watch_path("rename", to, true, [&] { return next(from, to); });
}

int mkdir(const char* path, mode_t mode) {
  static const auto next = real<int (*)(const char*, mode_t)>("mkdir");
  return watch_path("mkdir", path, true, [&] { return next(path, mode); });
}

int unlink(const char* path) {
  static const auto next = real<int (*)(const char*)>("unlink");
  return watch_path("unlink", path, false, [&] { return next(path); });
}

int remove(const char* path) {
  static const auto next = real<int (*)(const char*)>("remove");
  return watch_path("unlink", path, false, [&] { return next(path); });
}

// Calls that ask whether a file is there.
int stat(const char* path, struct stat* info) {
  static const auto next = real<int (*)(const char*, struct stat*)>("stat");
  return watch_path("stat", path, false, [&] { return next(path, info); });
}

}  // extern "C"
