// The operations on one CUDA device, each timed by the device's own clock: the limits first, then hashing,
// encoding, cuSPARSE and training steps. Exit code 1 if there is no device. bench/gpu/table.py looks
// benchmarks up by their names.

#include "criteo_batches.hpp"
#include "cuda/pinned_buffer.hpp"
#include "dense.hpp"
#include "device_timing.hpp"
#include "first_layer_bench.hpp"
#include "random_values.hpp"
#include "sparse_product.hpp"
#include "tail_bench.hpp"
#include "training_bench.hpp"

#include <widehash/csr_ops.hpp>
#include <widehash/device_encoder.hpp>
#include <widehash/devices.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

#include <benchmark/benchmark.h>

namespace widehash::bench {
namespace {

using cuda::DeviceBuffer;
using cuda::make_device_copy;

constexpr std::size_t large_bytes = std::size_t{1} << 30;
// Fits in the second-level cache of every data-centre GPU from sm_80 on, and is about what a batch reads there.
constexpr std::size_t cached_bytes = std::size_t{32} << 20;

// The limits.

void copy_in_memory(benchmark::State& state) {
  const DeviceBuffer<std::byte> from(device(), large_bytes, "source");
  const DeviceBuffer<std::byte> to(device(), large_bytes, "target");
  from.clear(device().stream());
  measure(
      state, [&] { cuda::copy_on_device(from.data(), to.data(), large_bytes, device().stream()); }, 1);
  report(state, 1, 2 * large_bytes);  // read and written
}

void read_second_cache(benchmark::State& state) {
  constexpr int passes = 16;
  const DeviceBuffer<std::byte> memory(device(), cached_bytes, "cached bytes");
  const DeviceBuffer<unsigned> sink(device(), 1, "sink");
  memory.clear(device().stream());
  measure(
      state, [&] { read_repeatedly(device(), memory.data(), cached_bytes, passes, sink.data()); }, 1);
  report(state, 1, cached_bytes * passes);
}

void add_in_shared(benchmark::State& state, bool to_neighbours) {
  constexpr int passes = 4096;
  const DeviceBuffer<unsigned> sink(device(), 1, "sink");
  std::size_t additions = 0;
  measure(
      state, [&] { additions = add_in_shared_memory(device(), to_neighbours, passes, sink.data()); }, 1);
  report(state, additions, 0);
}

void copy_over_bus(benchmark::State& state) {
  const cuda::PinnedBuffer<std::byte> from(large_bytes);
  const DeviceBuffer<std::byte> to(device(), large_bytes, "target");
  measure(
      state, [&] { cuda::copy_to_device<std::byte>(from.first(large_bytes), to.data(), device().stream()); },
      1);
  report(state, 1, large_bytes);
}

// One empty kernel of many in a queue, which has room for a thousand.
void launch_kernels(benchmark::State& state) {
  measure(
      state, [] { launch_empty_kernel(device()); }, 25 * works_at_once());
}

// A small copy to the host and the wait for it, as for the status of a step.
void wait_for_device(benchmark::State& state) {
  const DeviceBuffer<double> value(device(), 1, "value");
  const cuda::PinnedBuffer<double> copy(1);
  value.clear(device().stream());
  for (auto _ : state) {
    cuda::copy_to_host<double>(value.data(), copy.first(1), device().stream());
    device().stream().synchronize();
  }
}

// A hidden layer of 1024 units on 65,536 rows: inputs, outputs and products are all large.
void multiply_matrices(benchmark::State& state) {
  const cuda::DenseShape shape{batch_rows, 1024, 1024};
  // Random values, because a chip multiplies zeros at a higher clock.
  const auto x = make_device_copy<float>(device(), random_floats(shape.num_rows * shape.inputs), "x");
  const auto w =
      make_device_copy<float>(device(), random_floats(std::size_t{shape.inputs} * shape.outputs), "w");
  const DeviceBuffer<float> y(device(), shape.num_rows * shape.outputs, "y");
  measure(
      state, [&] { cuda::dense_forward(device(), shape, x.data(), w.data(), y.data()); }, 1);
  report(state, 2 * shape.num_rows * shape.inputs * shape.outputs, 0);
}

/// The gradient of a second layer's weights (--hidden 32,16): a small product over all rows of the batch,
/// which needs a multiplication that divides the rows among multiprocessors.
void multiply_along_rows(benchmark::State& state) {
  const cuda::DenseShape shape{batch_rows, 32, 16};
  const auto x = make_device_copy<float>(device(), random_floats(shape.num_rows * shape.inputs), "x");
  const auto dy = make_device_copy<float>(device(), random_floats(shape.num_rows * shape.outputs), "dy");
  const DeviceBuffer<float> dw(device(), std::size_t{shape.inputs} * shape.outputs, "dw");
  measure(
      state, [&] { cuda::dense_backward_weights(device(), shape, x.data(), dy.data(), dw.data()); }, 1);
  report(state, 2 * shape.num_rows * shape.inputs * shape.outputs,
         shape.num_rows * (shape.inputs + shape.outputs) * sizeof(float));
}

// Hashing.

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
  measure(
      state, [&] { hash_column(column, count, 0, {}, hashes.data(), nullptr, device().stream().get()); }, 1);
  report(state, count, column.num_bytes + count * sizeof(std::uint64_t));
}

/// Encodes 26 columns of 32-bit values, hashed as their decimal text, one batch at a time: so the hashes stay
/// in the second-level cache until they become codes, as they do before training.
void encode_rows(benchmark::State& state, bool by_slot) {
  constexpr std::size_t num_batches = 16;
  const Schema schema = criteo_schema();
  const CodeLayout layout = make_layout(schema);
  const DeviceEncoder encoder(schema, layout);
  const std::size_t num_columns = encoder.features().size();
  const std::size_t batch_values = num_columns * batch_rows;
  const std::size_t batch_words = batch_rows * layout.code_stride;
  const auto values =
      make_device_copy<std::uint32_t>(device(), random_numbers(num_batches * batch_values), "values");
  // Enough for either order: row by row, or slot by slot with the 8-bit codes after the others.
  const DeviceBuffer<std::uint16_t> codes(device(), num_batches * batch_words, "codes");
  const DeviceBuffer<std::byte> scratch(device(), encoder.scratch_bytes(batch_rows), "scratch");
  std::size_t batch = 0;
  measure(state, [&] {
    std::vector<DeviceColumn> columns(num_columns);
    for (std::size_t j = 0; j < num_columns; ++j) {
      columns[j].kind = DeviceValues::uint32;
      columns[j].values = values.data() + batch * batch_values + j * batch_rows;
    }
    std::uint16_t* const words = codes.data() + batch * batch_words;
    auto* const bytes = reinterpret_cast<std::uint8_t*>(words + batch_rows * layout.wide_codes);
    encoder.encode(columns, batch_rows,
                   {words, nullptr, by_slot ? batch_rows : 0, bytes, device().stream().get()},
                   scratch.data());
    batch = (batch + 1) % num_batches;
  });
  report(state, batch_rows,
         batch_rows * (num_columns * sizeof(std::uint32_t) + layout.code_stride * sizeof(std::uint16_t)));
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
    return add_benchmark(name, function, arguments...)->UseManualTime()->Unit(benchmark::kMicrosecond);
  };
  add("limit/memory_copy", copy_in_memory);
  add("limit/cache_read", read_second_cache);
  add("limit/shared_add", add_in_shared, true);
  add("limit/shared_add_anywhere", add_in_shared, false);
  add("limit/bus_copy", copy_over_bus);
  add("limit/sgemm", multiply_matrices);
  add("limit/launch", launch_kernels);
  add_benchmark("limit/host_wait", wait_for_device)->UseRealTime();
  add("dense/weights", multiply_along_rows);
  add("hash/text8", hash_values, DeviceValues::fixed_text);
  add("hash/uint32", hash_values, DeviceValues::uint32);
  add("encode/by_row", encode_rows, false);
  add("encode/by_slot", encode_rows, true);
  register_first_layer(criteo_batch().view());
  register_tail();
  register_training();
  add("cusparse/forward", sparse_product, false)->Arg(1)->Arg(32);
  add("cusparse/backward", sparse_product, true)->Arg(1)->Arg(32);
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
