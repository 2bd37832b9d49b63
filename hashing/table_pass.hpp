#pragma once

/// \file
/// One pass over the lookup tables of a set by several threads, with one report of progress.

#include "pulse.hpp"

#include <widehash/progress.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

namespace widehash::detail {

class TablePass {
 public:
  /// A feature whose table is to be read, and how many values that takes.
  struct Table {
    std::size_t feature;
    std::uint64_t num_values;
  };

  /// `callback` receives features as bytes, `num_features` in all, and values as rows; it may be empty.
  /// Features without a table count as done.
  TablePass(ProgressCallback callback, std::size_t num_features, std::size_t num_tables);

  /// Calls work(feature) for each table on at most `num_threads` threads of the current limit, the largest
  /// first, so that threads end together. Rethrows the first exception after the running calls have ended.
  void run(std::vector<Table> tables, std::size_t num_threads, const std::function<void(std::size_t)>& work);

  /// To be called within a large table. Throws what the callback throws, from then on at every call on any
  /// thread.
  Pulse pulse();

  /// Rethrows what the callback threw. For work that catches the errors of its own table.
  void rethrow_of_callback();

 private:
  void report(std::uint64_t features, std::uint64_t values);

  const ProgressCallback callback_;
  std::mutex mutex_;
  Progress done_;
  std::exception_ptr problem_;  // what the callback threw
};

}  // namespace widehash::detail
