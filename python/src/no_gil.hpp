#pragma once

/// \file
/// Work without the interpreter's lock, which an interpreter that ends waits for: a daemon thread that came
/// back to it later would be ended in the middle of C++.

#include "bindings.hpp"

namespace widehash::python {

/// Gives the lock up as long as it lives. Made and ended by a thread that holds it.
class NoGil {
 public:
  NoGil();
  ~NoGil();
  NoGil(const NoGil&) = delete;
  NoGil& operator=(const NoGil&) = delete;

  /// Waits for all that live, and keeps the lock with those that are made from now on. For the end of the
  /// interpreter.
  static void end_all();

 private:
  PyThreadState* state_ = nullptr;
};

}  // namespace widehash::python
