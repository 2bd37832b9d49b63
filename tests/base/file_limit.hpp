#pragma once

/// \file
/// A stand-in for a full disk.

#include <csignal>

#include <sys/resource.h>

namespace widehash::test {

/// While it exists, no file can grow beyond `bytes`: writes then fail with EFBIG, as they fail with ENOSPC on
/// a full disk.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit lowered{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &lowered);
  }
  ~FileLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = SIG_DFL;
};

}  // namespace widehash::test
