#pragma once

/// \file
/// Switches from one stack to another. swapcontext() asks the kernel for the signal mask at every switch, and
/// a block switches at every barrier. So x86-64 has a switch of its own, and other architectures use ucontext.

#include <cstddef>

#include <ucontext.h>

namespace simulator {

class Context {
 public:
  /// A context for switch_to() to fill: it records where this stack continues.
  Context() = default;
  /// A stack on which `entry` begins. `entry` does not return.
  Context(void* stack, std::size_t bytes, void (*entry)());
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// Leaves this stack for `other`. Returns when something switches back.
  void switch_to(Context& other);

 private:
#if defined(__x86_64__)
  void* top_ = nullptr;
#else
  ucontext_t context_{};
#endif
};

}  // namespace simulator
