#include "table_pass.hpp"

#include <widehash/threads.hpp>

#include <algorithm>
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
  parallel_in_turn(tables.size(), num_threads, [&](std::size_t i) {
    work(tables[i].feature);
    report(1, tables[i].num_values);
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
