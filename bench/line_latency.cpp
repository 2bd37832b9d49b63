// How long a cache line takes from one processor to another: two threads answer each other through one word. Processors
// that share a third-level cache take 25 to 35 ns, those of two chiplets or sockets 100 to 200. A virtual machine may
// have either, and change: training by several threads follows (docs/performance.md).
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include <pthread.h>
#include <sched.h>

namespace {

bool stay_on(int processor) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(processor, &only);
  return pthread_setaffinity_np(pthread_self(), sizeof only, &only) == 0;
}

}  // namespace

int main() {
  if (!stay_on(1) || !stay_on(0)) {
    std::fprintf(stderr, "needs processors 0 and 1\n");
    return 1;
  }
  constexpr int rounds = 200'000;
  static std::atomic<int> word{0};
  std::thread other([&] {
    stay_on(1);
    for (int i = 0; i < rounds; ++i) {
      while (word.load() != 2 * i + 1) continue;
      word.store(2 * i + 2);
    }
  });
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < rounds; ++i) {
    word.store(2 * i + 1);
    while (word.load() != 2 * i + 2) continue;
  }
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  other.join();
  std::printf("%.0f ns for a cache line from processor 0 to processor 1\n", took.count() / (2 * rounds));
}
