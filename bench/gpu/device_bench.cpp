// The operations on one CUDA device, each by the device's own clock: the limits first, then hashing, encoding, cuSPARSE and steps of training.
// Exit code 1 where there is no device. The names are those that bench/gpu/table.py looks for.

#include "cuda/pinned_buffer.hpp"
#include "cuda_replica.hpp"
#include "dense.hpp"
#include "device_timing.hpp"
#include "first_layer_bench.hpp"
#include "sparse_product.hpp"

#include <widehash/csr_ops.hpp>
#include <widehash/device_encoder.hpp>
#include <widehash/devices.hpp>
#include <widehash/encoder.hpp>
#include <widehash/row_parser.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <criteo_shape.hpp>

namespace widehash::bench {
namespace {

using cuda::DeviceBuffer;

constexpr std::size_t large_bytes = std::size_t{1} << 30;
constexpr std::size_t cached_bytes = std::size_t{8}
                                     << 20;  // lies in the second cache of every GPU from sm_80 on
constexpr std::size_t batch_rows = 65536;

// The limits.

void copy_in_memory(benchmark::State& state) {
  const DeviceBuffer<std::byte> from(device(), large_bytes, "source");
  const DeviceBuffer<std::byte> to(device(), large_bytes, "target");
  from.clear(device().stream());
  measure(state, [&] { cuda::copy_on_device(from.data(), to.data(), large_bytes, device().stream()); });
  report(state, 1, 2 * large_bytes);  // read and written
}

void read_second_cache(benchmark::State& state) {
  constexpr int passes = 64;
  const DeviceBuffer<std::byte> memory(device(), cached_bytes, "cached bytes");
  const DeviceBuffer<unsigned> sink(device(), 1, "sink");
  memory.clear(device().stream());
  measure(state, [&] { read_repeatedly(device(), memory.data(), cached_bytes, passes, sink.data()); });
  report(state, 1, cached_bytes * passes);
}

void add_in_shared(benchmark::State& state) {
  constexpr int passes = 4096;
  const DeviceBuffer<unsigned> sink(device(), 1, "sink");
  std::size_t additions = 0;
  measure(state, [&] { additions = add_in_shared_memory(device(), passes, sink.data()); });
  report(state, additions, 0);
}

void copy_over_bus(benchmark::State& state) {
  const cuda::PinnedBuffer<std::byte> from(large_bytes);
  const DeviceBuffer<std::byte> to(device(), large_bytes, "target");
  measure(state,
          [&] { cuda::copy_to_device<std::byte>(from.first(large_bytes), to.data(), device().stream()); });
  report(state, 1, large_bytes);
}

// One empty kernel of many in a queue.
void launch_kernels(benchmark::State& state) {
  constexpr std::size_t count = 1000;
  DeviceStopwatch watch(device());
  for (auto _ : state) {
    watch.start();
    launch_empty_kernels(device(), count);
    state.SetIterationTime(watch.stop() / count);
  }
}

// A small copy to the host that it waits for, as for the status of a step.
void wait_for_device(benchmark::State& state) {
  const DeviceBuffer<double> value(device(), 1, "value");
  const cuda::PinnedBuffer<double> copy(1);
  value.clear(device().stream());
  for (auto _ : state) {
    cuda::copy_to_host<double>(value.data(), copy.first(1), device().stream());
    device().stream().synchronize();
  }
}

// A hidden layer of 1024 on 65,536 rows: in, out and products are all large.
void multiply_matrices(benchmark::State& state) {
  const cuda::DenseShape shape{batch_rows, 1024, 1024};
  const DeviceBuffer<float> x(device(), shape.num_rows * shape.inputs, "x");
  const DeviceBuffer<float> w(device(), std::size_t{shape.inputs} * shape.outputs, "w");
  const DeviceBuffer<float> y(device(), shape.num_rows * shape.outputs, "y");
  x.clear(device().stream());
  w.clear(device().stream());
  measure(state, [&] { cuda::dense_forward(device(), shape, x.data(), w.data(), y.data()); });
  report(state, 2 * shape.num_rows * shape.inputs * shape.outputs, 0);
}

// Hashing.

std::vector<std::uint32_t> random_numbers(std::size_t count) {
  std::mt19937 random(1);
  std::vector<std::uint32_t> numbers(count);
  for (std::uint32_t& number : numbers) number = static_cast<std::uint32_t>(random());
  return numbers;
}

void hash_values(benchmark::State& state, DeviceValues kind) {
  constexpr std::size_t count = std::size_t{1} << 26;
  const bool is_text = kind == DeviceValues::fixed_text;
  const auto values =
      make_device_copy<std::uint32_t>(device(), random_numbers(is_text ? 2 * count : count), "values");
  const DeviceBuffer<std::uint64_t> hashes(device(), count, "hashes");
  DeviceColumn column;
  column.kind = kind;
  column.values = values.data();
  column.num_bytes = values.size() * sizeof(std::uint32_t);
  column.value_bytes = 8;
  measure(state, [&] { hash_column(column, count, 0, {}, hashes.data(), nullptr, device().stream().get()); });
  report(state, count, column.num_bytes + count * sizeof(std::uint64_t));
}

Schema criteo_schema() {
  // The program may have been carried to a machine where the sources lie elsewhere.
  const char* const folder = std::getenv("WIDEHASH_SOURCE_DIR");
  return load_schema(std::string(folder == nullptr ? WIDEHASH_SOURCE_DIR : folder) +
                     "/examples/schemas/criteo26.toml");
}

/// 26 columns of 32-bit values, hashed as their decimal text, to the codes of rows.
void encode_rows(benchmark::State& state, bool by_slot) {
  constexpr std::size_t num_rows = 16 * batch_rows;
  const Schema schema = criteo_schema();
  const CodeLayout layout = make_layout(schema);
  const DeviceEncoder encoder(schema, layout);
  const std::size_t num_columns = encoder.features().size();
  const auto values =
      make_device_copy<std::uint32_t>(device(), random_numbers(num_rows * num_columns), "values");
  std::vector<DeviceColumn> columns(num_columns);
  for (std::size_t j = 0; j < num_columns; ++j) {
    columns[j].kind = DeviceValues::uint32;
    columns[j].values = values.data() + j * num_rows;
  }
  // Room for either order: row by row, or slot by slot with the codes of 8 bits behind the others.
  const DeviceBuffer<std::uint16_t> codes(device(), num_rows * layout.code_stride, "codes");
  auto* const byte_codes = reinterpret_cast<std::uint8_t*>(codes.data() + num_rows * layout.wide_codes);
  const DeviceBuffer<std::byte> scratch(device(), encoder.scratch_bytes(num_rows), "scratch");
  const DeviceCodes out{codes.data(), nullptr, by_slot ? num_rows : 0, byte_codes, device().stream().get()};
  measure(state, [&] { encoder.encode(columns, num_rows, out, scratch.data()); });
  report(state, num_rows,
         num_rows * (num_columns * sizeof(std::uint32_t) + layout.code_stride * sizeof(std::uint16_t)));
}

const CodeBatch& criteo_batch() {
  static const CodeBatch batch = [] {
    const CriteoRows table(1);
    std::string text;
    for (std::uint64_t row = 0; row < batch_rows; ++row) table.append_row(row, text);
    RowParser parser(Dialect{}, num_criteo_fields);
    parser.start(text);
    RowBatch rows;
    parser.next(rows, batch_rows);
    return Encoder(criteo_schema()).encode({rows.fields, num_criteo_fields});
  }();
  return batch;
}

// Training, one batch again and again: the loss says that it is training, not what a model is worth.

/// Hidden units, 0 for none; whether the batch is copied from the host's memory for every step.
void train(benchmark::State& state, bool from_host) {
  const CodeBatchView rows = criteo_batch().view();
  Architecture architecture;
  architecture.num_columns = rows.layout->num_columns;
  architecture.active_columns = active_columns(*rows.layout);
  if (state.range(0) > 0) architecture.hidden = {static_cast<std::uint32_t>(state.range(0))};
  const Network<float> network(architecture);
  const Optimizer<float> optimizer(default_settings(OptimizerKind::adagrad), network.parameters());
  cuda::CudaReplica replica(0, network, optimizer,
                            {.columns = network.columns(), .updated_columns = network.columns()});
  double loss = replica.train_step(rows, "batch", nullptr);
  std::size_t num_begun = 0;
  std::shared_ptr<PreparedRows> next = from_host ? replica.prepare(rows) : nullptr;
  for (auto _ : state) {
    if (from_host) {
      // The next batch is on its way while this one is trained on.
      const auto prepared = std::exchange(next, replica.prepare(rows));
      replica.begin_step(rows, "batch", prepared.get(), {});
    } else {
      replica.begin_step_again(batch_rows, "batch");
    }
    if (++num_begun <= replica.steps_ahead()) continue;
    loss = replica.finish_step();
    --num_begun;
  }
  for (; num_begun > 0; --num_begun) loss = replica.finish_step();
  report(state, batch_rows, 0);
  state.counters["log_loss"] = loss / batch_rows;
}

// cuSPARSE, on the same rows.

const Csr& criteo_csr() {
  static const Csr matrix = to_csr(criteo_batch().view());
  return matrix;
}

void sparse_product(benchmark::State& state, bool is_transposed) {
  const auto units = static_cast<std::size_t>(state.range(0));
  const cuda::DeviceCsr x(device(), criteo_csr().view());
  const DeviceBuffer<float> of_columns(device(), static_cast<std::size_t>(x.num_columns) * units, "weights");
  const DeviceBuffer<float> of_rows(device(), batch_rows * units, "sums");
  of_columns.clear(device().stream());
  of_rows.clear(device().stream());
  cuda::SparseProduct product(device());
  measure(state, [&] {
    if (is_transposed) {
      product.add_transposed(x.view(), of_rows.data(), units, of_columns.data());
    } else {
      product.multiply(x.view(), of_columns.data(), units, of_rows.data());
    }
  });
  report(state, batch_rows, 0);
}

void register_all() {
  const auto add = [](const char* name, auto function, auto... arguments) {
    return benchmark::RegisterBenchmark(name, function, arguments...)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  };
  add("limit/memory_copy", copy_in_memory);
  add("limit/cache_read", read_second_cache);
  add("limit/shared_add", add_in_shared);
  add("limit/bus_copy", copy_over_bus);
  add("limit/sgemm", multiply_matrices);
  add("limit/launch", launch_kernels);
  benchmark::RegisterBenchmark("limit/host_wait", wait_for_device)->UseRealTime();
  add("hash/text8", hash_values, DeviceValues::fixed_text);
  add("hash/uint32", hash_values, DeviceValues::uint32);
  add("encode/by_row", encode_rows, false);
  add("encode/by_slot", encode_rows, true);
  register_first_layer(criteo_batch().view());
  add("cusparse/forward", sparse_product, false)->Arg(1)->Arg(32);
  add("cusparse/backward", sparse_product, true)->Arg(1)->Arg(32);
  // By the clock on the wall: a step ends when the host has read its loss.
  const auto add_training = [](const char* name, bool from_host) {
    benchmark::RegisterBenchmark(name, train, from_host)
        ->Arg(0)
        ->Arg(32)
        ->UseRealTime()
        ->Unit(benchmark::kMicrosecond);
  };
  add_training("train/device", false);
  add_training("train/host_batch", true);
}

}  // namespace
}  // namespace widehash::bench

int main(int argc, char** argv) {
  const widehash::MachineDevices machine = widehash::find_devices();
  if (machine.cuda.empty()) {
    std::fprintf(stderr, "device_bench: %s\n", machine.cuda_note.c_str());
    return 1;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::AddCustomContext("device", machine.cuda.front().name);
  widehash::bench::register_all();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
