// Cutting a block of text into fields: one thread, page-cache speed.

#include "axes.hpp"

#include <widehash/row_parser.hpp>

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

}  // namespace
}  // namespace widehash::bench
