#include "mapped_files.hpp"

#include "program.hpp"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

namespace widehash::tools {
namespace {

// From here on, only functions that are safe in a signal handler are called: the reading thread may hold any
// lock.

void say(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Reads the system's list of mappings one character at a time:
///
///     7f0c8a400000-7f0c8a600000 r--p 00000000 fe:00 1234     /data/train/part-00000-000000.shard
class Mappings {
 public:
  Mappings() noexcept : file_(::open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}

  /// Moves to the path of the mapping that contains `address`. Returns false if no mapping with a path does.
  bool find(std::uintptr_t address) noexcept {
    while (peek() != end) {
      const std::uintptr_t begin = number();
      next();
      const std::uintptr_t behind = number();
      if (begin <= address && address < behind) {
        constexpr int fields_before_the_path = 4;
        for (int i = 0; i < fields_before_the_path; ++i) skip_field();
        skip_spaces();
        return peek() == '/';
      }
      while (peek() != end && next() != '\n') {
      }
    }
    return false;
  }

  void say_rest_of_line() noexcept {
    while (peek() != end && peek() != '\n') {
      const char character = static_cast<char>(next());
      say({&character, 1});
    }
  }

 private:
  static constexpr int end = -1;

  int peek() noexcept {
    if (place_ == size_) {
      size_ = file_ < 0 ? 0 : ::read(file_, buffer_, sizeof buffer_);
      place_ = 0;
      if (size_ <= 0) {
        size_ = 0;
        return end;
      }
    }
    return static_cast<unsigned char>(buffer_[place_]);
  }

  int next() noexcept {
    const int character = peek();
    if (character != end) ++place_;
    return character;
  }

  /// Reads hexadecimal digits.
  std::uintptr_t number() noexcept {
    std::uintptr_t value = 0;
    for (;; next()) {
      const int digit = peek();
      if (digit >= '0' && digit <= '9') {
        value = value * 16 + static_cast<std::uintptr_t>(digit - '0');
      } else if (digit >= 'a' && digit <= 'f') {
        value = value * 16 + static_cast<std::uintptr_t>(digit - 'a' + 10);
      } else {
        return value;
      }
    }
  }

  void skip_spaces() noexcept {
    while (peek() == ' ') next();
  }

  void skip_field() noexcept {
    skip_spaces();
    while (peek() != ' ' && peek() != '\n' && peek() != end) next();
  }

  int file_;
  ssize_t place_ = 0;
  ssize_t size_ = 0;
  char buffer_[4096] = {};
};

std::atomic_flag is_claimed = ATOMIC_FLAG_INIT;

extern "C" void end_with_the_name(int number, siginfo_t* info, void*) {
  // Other threads that read the same file wait here for the process to end.
  while (is_claimed.test_and_set()) ::pause();
  Mappings mappings;
  if (!mappings.find(reinterpret_cast<std::uintptr_t>(info->si_addr))) {
    // Not in a file: a fault of the program, which the signal ends when the instruction is tried again.
    std::signal(number, SIG_DFL);
    is_claimed.clear();
    return;
  }
  say("widehash: ");
  mappings.say_rest_of_line();
  say(": cannot be read any more: it was truncated while in use, or its disk is failing; put the file back, "
      "check it with widehash verify, and start again\n");
  ::_exit(exit_failed);
}

}  // namespace

void name_files_that_cannot_be_read() noexcept {
  struct sigaction action {};
  action.sa_sigaction = end_with_the_name;
  action.sa_flags = SA_SIGINFO;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace widehash::tools
