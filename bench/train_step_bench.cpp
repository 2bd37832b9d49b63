// The parts of a training step, and prediction, on one thread: the update of all columns by each optimizer, a
// whole step of the linear model and of one hidden layer, and predictions.

#include "criteo_batch.hpp"
#include "limits.hpp"

#include <widehash/network.hpp>
#include <widehash/threads.hpp>

#include <string>

namespace widehash::bench {
namespace {

void update(benchmark::State& state) {
  const auto kind = static_cast<OptimizerKind>(state.range(0));
  const std::size_t columns = 65536;
  std::vector<float> weights(columns, 0.5f);
  const std::vector<float> gradient(columns, 1e-3f);
  std::vector<float> first(columns, 1.0f);
  std::vector<float> second(columns, 1.0f);
  for (auto _ : state) {
    update_dense<float>(default_settings(kind), 1, true, weights, gradient, {first, second});
    benchmark::ClobberMemory();
  }
  state.SetLabel(to_string(kind));
  report_rate(state, columns);
  // Every array is read, and all but the gradient are written.
  const double bytes = static_cast<double>(columns * sizeof(float)) * (3 + 2 * num_states(kind));
  report_share(state, "of_bandwidth", bytes, bytes_per_second());
}
BENCHMARK(update)->DenseRange(0, 4)->ArgName("rule")->Unit(benchmark::kMicrosecond);

Architecture architecture_of(const CodeLayout& layout, std::uint32_t hidden) {
  Architecture architecture;
  architecture.num_columns = layout.num_columns;
  if (hidden > 0) architecture.hidden = {hidden};
  return architecture;
}

void train_step(benchmark::State& state) {
  const auto rows = static_cast<std::uint64_t>(state.range(0));
  const CodeBatch batch = criteo_batch(rows);
  Network<float> network(architecture_of(batch.layout(), static_cast<std::uint32_t>(state.range(1))));
  Optimizer<float> optimizer(default_settings(OptimizerKind::adagrad), network.parameters());
  with_threads(1, [&] {
    for (auto _ : state) network.train_step(batch.view(), optimizer);
  });
  report_rate(state, rows);
  // Each code is looked up twice: its weight, then its gradient.
  const double loads = 2.0 * static_cast<double>(rows * batch.layout().num_codes());
  report_share(state, "of_loads", loads, loads_per_second());
}
BENCHMARK(train_step)
    ->ArgNames({"rows", "hidden"})
    ->ArgsProduct({{512, 4096, 16384}, {0, 27}})
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();

void predict(benchmark::State& state) {
  const auto rows = static_cast<std::uint64_t>(state.range(0));
  const CodeBatch batch = criteo_batch(rows);
  const Network<float> network(architecture_of(batch.layout(), static_cast<std::uint32_t>(state.range(1))));
  Workspace<float> work;
  std::vector<float> predictions(rows);
  with_threads(1, [&] {
    for (auto _ : state) {
      network.predict(batch.view(), work, predictions);
      benchmark::ClobberMemory();
    }
  });
  report_rate(state, rows);
  report_share(state, "of_loads", static_cast<double>(rows * batch.layout().num_codes()), loads_per_second());
  report_share(state, "of_bandwidth", static_cast<double>(batch.codes.size() * sizeof batch.codes[0]),
               bytes_per_second());
}
BENCHMARK(predict)
    ->ArgNames({"rows", "hidden"})
    ->ArgsProduct({{4096, 65536}, {0, 27}})
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();

}  // namespace
}  // namespace widehash::bench
