#pragma once

/// \file
/// Going from one stack to another. swapcontext() asks the kernel for the signal mask at every switch, and a
/// block switches at every barrier; x86-64 has a switch of its own, others take ucontext.

#include <cstddef>

#include <ucontext.h>

namespace simulator {

class Context {
 public:
  /// What switch_to() leaves: where this stack goes on.
  Context() = default;
  /// A stack on which `entry` begins; it does not return.
  Context(void* stack, std::size_t bytes, void (*entry)());
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// Leaves this stack for `other`; returns when somebody switches back.
  void switch_to(Context& other);

 private:
#if defined(__x86_64__)
  void* top_ = nullptr;
#else
  ucontext_t context_{};
#endif
};

}  // namespace simulator
