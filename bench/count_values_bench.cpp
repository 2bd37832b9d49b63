// Counts hashed values of one feature, as `fit` does. The limit to compare with: adding one to a word of the
// slot that each hash selects, in as many slots, with the same prefetching and nothing else. `share` is the
// fraction of that rate that counting reaches in the same run.

#include "axes.hpp"

#include <widehash/code.hpp>
#include <widehash/internal/table_builder.hpp>

#include <bit>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace widehash::bench {
namespace {

constexpr std::size_t num_values = 4'000'000;
constexpr std::size_t values_at_once = 1024;  // a tile of `fit`

Schema one_feature() {
  Schema schema;
  Feature feature;
  feature.name = "value";
  feature.fields = {"value"};
  feature.cardinality = 1'000'000;
  schema.features = {feature};
  return schema;
}

/// Values drawn with probability about rank^-exponent; exponent 0 is uniform.
struct Values {
  Values(std::uint64_t cardinality, std::size_t length, double exponent) {
    for (std::uint64_t rank = 0; rank < cardinality; ++rank) {
      std::string digits = std::to_string(rank);
      digits.insert(0, length - digits.size(), '0');
      texts.push_back(std::move(digits));
    }
    text.reserve(num_values * length);
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> uniform(0, 1);
    const double power = 1 - exponent;
    const double base = std::pow(static_cast<double>(cardinality) + 1, power) - 1;
    for (std::size_t i = 0; i < num_values; ++i) {
      const double x = std::pow(1 + uniform(random) * base, 1 / power);
      const auto rank = std::min(static_cast<std::uint64_t>(x) - 1, cardinality - 1);
      // Values lie next to each other, as in a block of rows.
      const char* const at = text.data() + text.size();
      text += texts[rank];
      values.emplace_back(std::string_view(at, length), hash_xxh64(texts[rank]));
    }
  }
  std::vector<std::string> texts;  // the distinct values
  std::string text;                // all drawn values
  std::vector<HashedValue> values;
};

double limit_values_per_second(const Values& drawn) {
  struct alignas(32) Slot {
    std::uint64_t words[4];
  };
  constexpr std::size_t ahead = 20;
  const std::size_t capacity = std::bit_ceil(drawn.texts.size() * 4 / 3);
  const int shift = 64 - std::countr_zero(capacity);
  std::vector<Slot> slots(capacity);
  double best_seconds = 1e9;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < num_values; ++i) {
      const std::size_t next = std::min(i + ahead, num_values - 1);
      __builtin_prefetch(&slots[drawn.values[next].hash >> shift], 1);
      ++slots[drawn.values[i].hash >> shift].words[1];
    }
    benchmark::DoNotOptimize(slots.data());
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    best_seconds = std::min(best_seconds, seconds.count());
  }
  return num_values / best_seconds;
}

void count_values(benchmark::State& state) {
  const Values drawn(static_cast<std::uint64_t>(state.range(0)), static_cast<std::size_t>(state.range(1)),
                     static_cast<double>(state.range(2)) / 100);
  const double limit = limit_values_per_second(drawn);
  const Schema schema = one_feature();
  const std::string directory = std::filesystem::temp_directory_path();
  double seconds = 0;
  for (auto _ : state) {
    TableBuilder builder(schema, directory, std::uint64_t{1} << 30);
    // In the second pass all values are in the table already: the steady state of a long run.
    for (const bool timed : {false, true}) {
      const auto begin = std::chrono::steady_clock::now();
      for (std::size_t i = 0; i < num_values; i += values_at_once) {
        builder.add_many(0, std::span(drawn.values).subspan(i, std::min(values_at_once, num_values - i)));
      }
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
      if (timed) {
        state.SetIterationTime(passed.count());
        seconds += passed.count();
      }
    }
  }
  report_rate(state, num_values);
  state.counters["limit_per_second"] = limit;
  state.counters["share"] = static_cast<double>(state.iterations()) * num_values / seconds / limit;
}
BENCHMARK(count_values)->Apply(values_of_a_feature)->UseManualTime();

}  // namespace
}  // namespace widehash::bench
