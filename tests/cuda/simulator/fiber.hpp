#pragma once

/// \file
/// A stack of its own that code runs on until it gives way. The sanitizers are told of every switch.

#include "context.hpp"

#include <cstddef>
#include <functional>

namespace simulator {

class Fiber {
 public:
  /// `body` runs at the first resume(). It must not return: a fiber that has nothing to do gives way for
  /// ever.
  explicit Fiber(std::function<void()> body);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs it until it gives way. Called by the thread that made it.
  void resume();
  /// Called inside.
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
