#include "table_pass.hpp"

#include <widehash/threads.hpp>

#include <algorithm>
#include <atomic>
#include <utility>

namespace widehash::detail {

TablePass::TablePass(ProgressCallback callback, std::size_t num_features, std::size_t num_tables)
    : callback_(std::move(callback)) {
  done_.bytes_total = num_features;
  done_.bytes_done = num_features - num_tables;
}

void TablePass::run(std::vector<Table> tables, std::size_t num_threads,
                    const std::function<void(std::size_t)>& work) {
  std::ranges::stable_sort(tables, std::ranges::greater(), &Table::num_values);
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> has_failed = false;
  parallel_for(std::min({num_threads, tables.size(), current_threads()}), [&](std::size_t) {
    try {
      for (std::size_t i = next++; i < tables.size() && !has_failed; i = next++) {
        work(tables[i].feature);
        report(1, tables[i].num_values);
      }
    } catch (...) {
      has_failed = true;
      throw;
    }
  });
}

Pulse TablePass::pulse() {
  return [this] { report(0, 0); };
}

void TablePass::rethrow_of_callback() {
  const std::lock_guard lock(mutex_);
  if (problem_) std::rethrow_exception(problem_);
}

void TablePass::report(std::uint64_t features, std::uint64_t values) {
  const std::lock_guard lock(mutex_);
  if (problem_) std::rethrow_exception(problem_);
  done_.bytes_done += features;
  done_.rows += values;
  try {
    if (callback_) callback_(done_);
  } catch (...) {
    problem_ = std::current_exception();
    throw;
  }
}

}  // namespace widehash::detail
