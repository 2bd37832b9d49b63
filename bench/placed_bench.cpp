// The 39 hashed values of Criteo-shaped rows, found by the places of their separators: as codes, row by row
// (`transform`), and as hashed values, column by column (`fit`). One thread, text and places in the
// second-level cache.

#include "axes.hpp"

#include <widehash/internal/placed_codes.hpp>
#include <widehash/internal/placed_values.hpp>

#include <string>
#include <vector>

#include <hwy/targets.h>

namespace widehash::bench {
namespace {

constexpr std::size_t num_rows = 256;
constexpr std::size_t num_values = num_criteo_fields - 1;

struct Placed {
  std::string text = criteo_text(num_rows);
  std::vector<std::uint32_t> places = std::vector<std::uint32_t>(1, 0xFFFFFFFF);  // text starts after this

  Placed() {
    for (std::uint32_t at = 0; at < text.size(); ++at) {
      if (text[at] == '\t' || text[at] == '\n') places.push_back(at);
    }
    places.resize(places.size() + 16);
    text.append(8, '\0');
  }
  PlacedRows rows() const {
    return {text.data(), places.data(), places.data() + 1, num_criteo_fields, num_rows, num_criteo_fields};
  }
};

/// Runs `work` with the best instruction set of this machine, or the best one up to AVX2.
template <class Work>
void run(benchmark::State& state, const Work& work) {
  hwy::SetSupportedTargetsForTest(
      state.range(0) == 0 ? 0 : hwy::SupportedTargets() & (HWY_AVX2 | HWY_SSE4 | HWY_SSSE3 | HWY_SCALAR));
  for (auto _ : state) work();
  hwy::SetSupportedTargetsForTest(0);
}

void encode_placed_rows(benchmark::State& state) {
  const Placed placed;
  const std::vector<std::uint32_t> widths(num_values, 1000);
  const BucketReducer reducer(widths);
  std::vector<std::uint16_t> codes(num_rows * num_values * 4);
  run(state, [&] {
    encode_places(placed.rows().fields(1, num_values), 0, {}, reducer, codes.data());
    benchmark::DoNotOptimize(codes.data());
  });
  report_rate(state, num_rows, placed.text.size());
}
BENCHMARK(encode_placed_rows)->ArgName("avx2")->Arg(0)->Arg(1);

void hash_placed_columns(benchmark::State& state) {
  constexpr std::size_t rows_of_fit = 32;
  const Placed placed;
  std::vector<HashedValue> values(rows_of_fit);
  run(state, [&] {
    for (std::size_t row = 0; row < num_rows; row += rows_of_fit) {
      for (std::size_t field = 1; field < num_criteo_fields; ++field) {
        hash_places(placed.rows().rows(row, rows_of_fit).fields(field, 1), 0, {}, values.data());
        benchmark::DoNotOptimize(values.data());
      }
    }
  });
  report_rate(state, num_rows, placed.text.size());
}
BENCHMARK(hash_placed_columns)->ArgName("avx2")->Arg(0)->Arg(1);

}  // namespace
}  // namespace widehash::bench
