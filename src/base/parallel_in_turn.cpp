#include <widehash/threads.hpp>

#include <algorithm>
#include <atomic>

namespace widehash {

void parallel_in_turn(std::size_t count, std::size_t most_threads,
                      const std::function<void(std::size_t)>& body) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> has_failed = false;
  parallel_for(std::min({count, most_threads, current_threads()}), [&](std::size_t) {
    try {
      for (std::size_t i = next++; i < count && !has_failed; i = next++) body(i);
    } catch (...) {
      has_failed = true;
      throw;
    }
  });
}

}  // namespace widehash
