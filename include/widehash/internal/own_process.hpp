#pragma once

/// \file
/// Remembers which process made an object: a fork has copies of objects whose files and threads are not its
/// own.

#include <unistd.h>

namespace widehash {

class OwnProcess {
 public:
  bool is_here() const noexcept { return ::getpid() == process_; }

 private:
  pid_t process_ = ::getpid();
};

}  // namespace widehash
