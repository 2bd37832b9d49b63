// The first layer, forward and backward, on one thread. At one unit the weights (0.2 MB) stay in the
// second-level cache, so the relevant figure is rows per second, not memory bandwidth.

#include "criteo_batch.hpp"
#include "limits.hpp"

#include <widehash/first_layer.hpp>
#include <widehash/threads.hpp>

namespace widehash::bench {
namespace {

struct FirstLayerCase {
  explicit FirstLayerCase(const benchmark::State& state)
      : rows(static_cast<std::uint64_t>(state.range(0))),
        units(static_cast<std::uint32_t>(state.range(1))),
        batch(criteo_batch(rows)),
        columns{0, batch.layout().num_columns},
        weights(columns.size() * units, 0.5f),
        sums(rows * units, 0.25f) {}

  /// The number of code lookups per pass.
  double lookups() const { return static_cast<double>(rows * batch.layout().num_codes()); }

  std::uint64_t rows;
  std::uint32_t units;
  CodeBatch batch;
  ColumnRange columns;
  std::vector<float> weights;
  std::vector<float> sums;
};

void forward(benchmark::State& state) {
  FirstLayerCase layer(state);
  with_threads(1, [&] {
    for (auto _ : state) {
      gather_sum<float>(layer.batch.view(), layer.weights, layer.columns, layer.units, layer.sums);
      benchmark::ClobberMemory();
    }
  });
  report_rate(state, layer.rows);
  report_share(state, "of_loads", layer.lookups(), loads_per_second());
}
BENCHMARK(forward)->Apply(batch_rows_and_units);

void backward(benchmark::State& state) {
  FirstLayerCase layer(state);
  with_threads(1, [&] {
    for (auto _ : state) {
      scatter_gradient<float>(layer.batch.view(), layer.sums, layer.columns, layer.units, layer.weights,
                              nullptr);
      benchmark::ClobberMemory();
    }
  });
  report_rate(state, layer.rows);
  report_share(state, "of_loads", layer.lookups(), loads_per_second());
}
BENCHMARK(backward)->Apply(batch_rows_and_units);

}  // namespace
}  // namespace widehash::bench
