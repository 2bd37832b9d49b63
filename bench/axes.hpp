#pragma once

/// \file
/// The parameters and input that all benchmarks share, so that their figures can be compared: Criteo-shaped
/// rows (39 features of 4 buckets) with the plan of examples/schemas/criteo.toml.

#include "criteo_shape.hpp"

#include <cstdint>
#include <string>

#include <benchmark/benchmark.h>

namespace widehash::bench {

inline constexpr const char* criteo_schema_path = WIDEHASH_SOURCE_DIR "/examples/schemas/criteo.toml";

/// Rows per batch: from what fits in the first-level cache to what fits in no cache.
inline void batch_rows(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("rows")->Arg(256)->Arg(4096)->Arg(65536)->Unit(benchmark::kMicrosecond)->UseRealTime();
}

/// Rows per batch, and units of the first layer.
inline void batch_rows_and_units(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"rows", "units"})
      ->ArgsProduct({{256, 4096}, {1, 16, 64}})
      ->Unit(benchmark::kMicrosecond);
  benchmark->UseRealTime();
}

/// Values of one feature: the number of distinct ones, their length, and the exponent of Zipf's law in hundredths.
inline void values_of_a_feature(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"cardinality", "length", "skew"})
      ->ArgsProduct({{100, 10'000, 1'000'000}, {8, 24}, {0, 105}})
      ->Unit(benchmark::kMillisecond);
}

/// The first `rows` rows of seed 1.
inline std::string criteo_text(std::uint64_t rows) {
  const CriteoRows table(1);
  std::string text;
  for (std::uint64_t row = 0; row < rows; ++row) table.append_row(row, text);
  return text;
}

/// Reports rows and, if given, bytes per second.
inline void report_rate(benchmark::State& state, std::uint64_t rows, std::uint64_t bytes = 0) {
  const auto iterations = static_cast<std::uint64_t>(state.iterations());
  state.SetItemsProcessed(static_cast<std::int64_t>(iterations * rows));
  if (bytes > 0) state.SetBytesProcessed(static_cast<std::int64_t>(iterations * bytes));
}

}  // namespace widehash::bench
