// Cuts a block of text into fields: one thread, page-cache speed.

#include "axes.hpp"

#include <widehash/internal/row_parser.hpp>

#include <string>
#include <string_view>
#include <utility>

#include <hwy/targets.h>

namespace widehash::bench {
namespace {

void parse_rows(benchmark::State& state) {
  const auto rows = static_cast<std::uint64_t>(state.range(0));
  const std::string text = criteo_text(rows);
  RowParser parser(Dialect{}, num_criteo_fields);
  RowBatch batch;
  for (auto _ : state) {
    parser.start(text);
    while (parser.next(batch, 4096)) benchmark::DoNotOptimize(batch.fields.data());
  }
  report_rate(state, rows, text.size());
}
BENCHMARK(parse_rows)->Apply(batch_rows);

/// The same text as CSV, bare or with every value quoted.
std::string csv_text(const std::string& rows, bool quoted) {
  const std::string_view mark = quoted ? "\"" : "";
  std::string text;
  bool begins = true;
  for (const char byte : rows) {
    if (std::exchange(begins, false)) text += mark;
    if (byte != '\t' && byte != '\n') {
      text += byte;
      continue;
    }
    text.append(mark) += byte == '\t' ? ',' : '\n';
    begins = true;
  }
  return text;
}

void place_rows(benchmark::State& state) {
  constexpr std::uint64_t num_rows = 4096;
  const std::string text = csv_text(criteo_text(num_rows), state.range(0) != 0);
  hwy::SetSupportedTargetsForTest(
      state.range(1) == 0 ? 0 : hwy::SupportedTargets() & (HWY_AVX2 | HWY_SSE4 | HWY_SSSE3 | HWY_SCALAR));
  RowParser parser({.delimiter = ',', .quote = '"'}, num_criteo_fields);
  RowBatch views;
  PlacedBatch placed;
  for (auto _ : state) {
    parser.start(text);
    while (parser.next_placed(placed, 64) || parser.next(views, 64)) {
      benchmark::DoNotOptimize(placed.places.data());
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  report_rate(state, num_rows, text.size());
}
BENCHMARK(place_rows)->ArgNames({"quoted", "avx2"})->ArgsProduct({{0, 1}, {0, 1}});

}  // namespace
}  // namespace widehash::bench
