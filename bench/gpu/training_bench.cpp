#include "training_bench.hpp"

#include "criteo_batches.hpp"
#include "device_timing.hpp"

#include <widehash/replica.hpp>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace widehash::bench {
namespace {

/// So many batches in turn that their codes do not stay in the second cache.
std::size_t num_batches() { return std::clamp<std::size_t>(works_at_once(), 2, 8); }

/// A replica of the first layer and state.range(0) hidden units.
std::unique_ptr<Replica<float>> make_replica(const benchmark::State& state, const CodeLayout& layout) {
  Architecture architecture;
  architecture.num_columns = layout.num_columns;
  architecture.active_columns = active_columns(layout);
  if (state.range(0) > 0) architecture.hidden = {static_cast<std::uint32_t>(state.range(0))};
  const Network<float> network(architecture);
  const Optimizer<float> optimizer(default_settings(OptimizerKind::adagrad), network.parameters());
  return make_cuda_replica(0, network, optimizer, {network.columns(), network.columns()});
}

/// Steps as far ahead as the replica can be; begin(i) begins step i. The loss of the last says that it is
/// training, not what a model is worth.
template <class Begin>
void train(benchmark::State& state, Replica<float>& replica, const Begin& begin) {
  begin(0);
  double loss = replica.finish_step();
  std::size_t num_begun = 0;
  std::size_t step = 1;
  for (auto _ : state) {
    begin(step++);
    if (++num_begun <= replica.steps_ahead()) continue;
    loss = replica.finish_step();
    --num_begun;
  }
  for (; num_begun > 0; --num_begun) loss = replica.finish_step();
  report(state, batch_rows, 0);
  state.counters["log_loss"] = loss / batch_rows;
}

/// Codes that lie in the memory of the device.
void on_device(benchmark::State& state) {
  const Schema schema = criteo_schema();
  const CodeLayout layout = make_layout(schema);
  const auto raw = raw_batches(num_batches());
  std::vector<std::unique_ptr<HashedBatch>> batches;
  for (const RawBatch& batch : raw) {
    batches.push_back(std::make_unique<HashedBatch>(device(), schema, layout));
    batches.back()->fill(batch);
  }
  const auto replica = make_replica(state, layout);
  const auto rows_of = [&](std::size_t step) { return batches[step % batches.size()]->rows(); };
  std::shared_ptr<PreparedRows> next = replica->prepare(rows_of(0));
  train(state, *replica, [&](std::size_t step) {
    const auto prepared = std::exchange(next, replica->prepare(rows_of(step + 1)));
    replica->begin_step(rows_of(step), "batch", prepared.get());
  });
}

/// Columns of 32-bit numbers, copied and hashed for every step.
void raw_columns(benchmark::State& state) {
  const Schema schema = criteo_schema();
  const CodeLayout layout = make_layout(schema);
  const auto raw = raw_batches(num_batches());
  HashedBatch first(device(), schema, layout);
  HashedBatch second(device(), schema, layout);
  const auto replica = make_replica(state, layout);
  train(state, *replica, [&](std::size_t step) {
    HashedBatch& batch = step % 2 == 0 ? first : second;
    replica->begin_step(batch.fill(raw[step % raw.size()]), "batch");
  });
}

/// Codes from the memory of the host: the next batch is on its way while one is trained on.
void host_batch(benchmark::State& state) {
  const CodeBatchView rows = criteo_batch().view();
  const auto replica = make_replica(state, *rows.layout);
  std::shared_ptr<PreparedRows> next = replica->prepare(rows);
  train(state, *replica, [&](std::size_t) {
    const auto prepared = std::exchange(next, replica->prepare(rows));
    replica->begin_step(rows, "batch", prepared.get());
  });
}

}  // namespace

void register_training() {
  const auto add = [](const char* name, auto function) {
    add_benchmark(name, function)->Arg(0)->Arg(32)->UseRealTime()->Unit(benchmark::kMicrosecond);
  };
  add("train/device", on_device);
  add("train/raw_columns", raw_columns);
  add("train/host_batch", host_batch);
}

}  // namespace widehash::bench
