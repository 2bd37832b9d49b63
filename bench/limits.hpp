#pragma once

/// \file
/// The limits of the machine, measured in the same run as the operation that is compared with them.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <benchmark/benchmark.h>

namespace widehash::bench {

/// The best of a few runs, so that other load on the machine matters less.
template <class Work>
double best_seconds(const Work& work) {
  double best = 1e9;
  for (int run = 0; run < 5; ++run) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

/// Indexed 4-byte loads per second from the first-level cache, one thread: the limit for gathers.
inline double loads_per_second() {
  static const double rate = [] {
    constexpr std::size_t count = std::size_t{1} << 16;
    std::vector<float> table(4096, 1.0f);
    std::vector<std::uint16_t> places(count);
    for (std::size_t i = 0; i < count; ++i)
      places[i] = static_cast<std::uint16_t>(i * 2654435761u >> 20 & 4095);
    const double seconds = best_seconds([&] {
      float sums[8] = {};
      for (std::size_t i = 0; i < count; i += 8) {
        for (std::size_t k = 0; k < 8; ++k) sums[k] += table[places[i + k]];
      }
      benchmark::DoNotOptimize(sums);
    });
    return static_cast<double>(count) / seconds;
  }();
  return rate;
}

/// Bytes per second that one thread reads from memory, past all caches.
inline double bytes_per_second() {
  static const double rate = [] {
    const std::vector<std::uint64_t> words(std::size_t{16} << 20, 1);  // 128 MiB
    const double seconds = best_seconds([&] {
      std::uint64_t sums[4] = {};
      for (std::size_t i = 0; i < words.size(); i += 4) {
        for (std::size_t k = 0; k < 4; ++k) sums[k] ^= words[i + k];
      }
      benchmark::DoNotOptimize(sums);
    });
    return static_cast<double>(words.size() * sizeof words[0]) / seconds;
  }();
  return rate;
}

/// Reports the share of a limit that the operation reaches; it uses `amount` of it per iteration.
inline void report_share(benchmark::State& state, const char* name, double amount, double limit) {
  state.counters[name] = benchmark::Counter(amount * static_cast<double>(state.iterations()) / limit,
                                            benchmark::Counter::kIsRate);
}

}  // namespace widehash::bench
