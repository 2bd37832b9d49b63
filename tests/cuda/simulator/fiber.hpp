#pragma once

/// \file
/// A stack of its own on which code runs until it gives way. The sanitizers are notified of every switch.

#include "context.hpp"

#include <cstddef>
#include <functional>

namespace simulator {

class Fiber {
 public:
  /// Runs `body` at the first resume(). `body` must not return: a fiber that has nothing to do keeps giving way.
  explicit Fiber(std::function<void()> body);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs the fiber until it gives way. Must be called on the thread that made it.
  void resume();
  /// Must be called inside the fiber.
  void give_way();

 private:
  static void start();

  std::function<void()> body_;
  void* stack_;
  Context own_;
  Context caller_;
  const void* caller_stack_ = nullptr;
  std::size_t caller_stack_bytes_ = 0;
  void* tsan_fiber_ = nullptr;
  void* tsan_caller_ = nullptr;
};

}  // namespace simulator
