// XXH64 of many values together and one by one, and hashes to buckets with and without division, by the
// length of the values. One thread, data in the first-level cache.

#include "axes.hpp"

#include <widehash/code.hpp>
#include <widehash/hash_values.hpp>
#include <widehash/internal/bucket_reducer.hpp>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace widehash::bench {
namespace {

constexpr std::size_t values_per_row = 40;
constexpr std::size_t num_rows = 32;

struct Values {
  std::string text;
  std::vector<std::string_view> views;
};

/// Values of `length` bytes; if it is negative, of 0 to -length bytes.
Values make_values(std::int64_t length) {
  std::mt19937_64 random(1);
  Values values;
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < num_rows * values_per_row; ++i) {
    const std::uint64_t bytes =
        length >= 0 ? static_cast<std::uint64_t>(length) : random() % static_cast<std::uint64_t>(1 - length);
    for (std::uint64_t k = 0; k < bytes; ++k) values.text.push_back(static_cast<char>('0' + random() % 10));
    values.text.push_back('\t');
    lengths.push_back(bytes);
  }
  std::size_t at = 0;
  for (const std::size_t bytes : lengths) {
    values.views.emplace_back(values.text.data() + at, bytes);
    at += bytes + 1;
  }
  return values;
}

/// The 39 hashed fields of Criteo-shaped rows, in their places in the text.
void hash_criteo_rows(benchmark::State& state) {
  constexpr std::size_t rows = 48;
  const std::string text = criteo_text(rows);
  std::vector<std::string_view> views;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find_first_of("\t\n", at);
    views.emplace_back(text.data() + at, end - at);
    at = end + 1;
  }
  std::vector<std::uint64_t> hashes(rows * values_per_row);
  for (auto _ : state) {
    hash_xxh64({views.data() + 1, values_per_row, rows, values_per_row - 1}, 0, hashes, values_per_row);
    benchmark::DoNotOptimize(hashes.data());
  }
  report_rate(state, rows, text.size());
}
BENCHMARK(hash_criteo_rows);

void lengths(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("bytes");
  for (const int length : {0, 1, 4, 7, 8, 12, 16, 31, 40, -8, -16}) benchmark->Arg(length);
}

void hash_many(benchmark::State& state) {
  const Values values = make_values(state.range(0));
  std::vector<std::uint64_t> hashes(num_rows * values_per_row);
  for (auto _ : state) {
    hash_xxh64({values.views.data(), values_per_row, num_rows, values_per_row}, 0, hashes, values_per_row);
    benchmark::DoNotOptimize(hashes.data());
  }
  report_rate(state, values.views.size(), values.text.size());
}
BENCHMARK(hash_many)->Apply(lengths);

void hash_one_by_one(benchmark::State& state) {
  const Values values = make_values(state.range(0));
  std::vector<std::uint64_t> hashes(values.views.size());
  for (auto _ : state) {
    for (std::size_t i = 0; i < values.views.size(); ++i) hashes[i] = hash_xxh64(values.views[i]);
    benchmark::DoNotOptimize(hashes.data());
  }
  report_rate(state, values.views.size(), values.text.size());
}
BENCHMARK(hash_one_by_one)->Apply(lengths);

std::vector<std::uint64_t> random_hashes() {
  std::mt19937_64 random(2);
  std::vector<std::uint64_t> hashes(num_rows * values_per_row);
  for (auto& hash : hashes) hash = random();
  return hashes;
}

void reduce_to_buckets(benchmark::State& state) {
  const std::vector<std::uint32_t> widths(values_per_row, 1000);
  const BucketReducer reducer(widths);
  const auto hashes = random_hashes();
  std::vector<std::uint16_t> codes(hashes.size() * num_splits);
  for (auto _ : state) {
    reducer.reduce(hashes.data(), values_per_row, num_rows, codes.data(), values_per_row * num_splits);
    benchmark::DoNotOptimize(codes.data());
  }
  report_rate(state, hashes.size());
}
BENCHMARK(reduce_to_buckets);

void divide_to_buckets(benchmark::State& state) {
  const auto hashes = random_hashes();
  std::uint32_t width = 1000;
  benchmark::DoNotOptimize(width);
  std::vector<std::uint16_t> codes(hashes.size() * num_splits);
  for (auto _ : state) {
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      const Buckets buckets = four_split(hashes[i], width);
      for (std::size_t k = 0; k < num_splits; ++k)
        codes[i * num_splits + k] = static_cast<std::uint16_t>(buckets[k]);
    }
    benchmark::DoNotOptimize(codes.data());
  }
  report_rate(state, hashes.size());
}
BENCHMARK(divide_to_buckets);

}  // namespace
}  // namespace widehash::bench
