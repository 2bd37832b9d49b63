#include "input_headers.hpp"

#include "input_reader.hpp"

#include <widehash/threads.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>

namespace widehash {
namespace {

// Where blocks are cut tells nothing of a header.
constexpr std::uint64_t any_block_bytes = std::uint64_t{1} << 20;

}  // namespace

void require_headers(const Schema& schema, const RowRules& rules, const std::vector<Input>& inputs,
                     bool needs_label) {
  std::atomic<std::size_t> first =
      inputs.size();  // that cannot be used: what stands behind it is not looked at
  std::mutex mutex;
  std::exception_ptr problem;
  parallel_for(inputs.size(), [&](std::size_t i) {
    if (inputs[i].is_stream || i > first) return;
    try {
      const InputReader opened(schema, rules, inputs[i], any_block_bytes, needs_label);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (i > first) return;
      first = i;
      problem = std::current_exception();
    }
  });
  if (problem != nullptr) std::rethrow_exception(problem);
}

}  // namespace widehash
