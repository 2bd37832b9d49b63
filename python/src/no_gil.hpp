#pragma once

/// \file
/// Work without the interpreter's lock. An interpreter that is ending waits for such work: a daemon thread
/// that asked for the lock later would be ended in the middle of C++.

#include "bindings.hpp"

namespace widehash::python {

/// Releases the lock for its lifetime. Must be created and destroyed on one thread, which holds the lock
/// before and after.
class NoGil {
 public:
  NoGil();
  ~NoGil();
  NoGil(const NoGil&) = delete;
  NoGil& operator=(const NoGil&) = delete;

  /// Waits until none is alive, and makes those created from now on keep the lock. For the end of the
  /// interpreter.
  static void end_all();

 private:
  PyThreadState* state_ = nullptr;
};

}  // namespace widehash::python
