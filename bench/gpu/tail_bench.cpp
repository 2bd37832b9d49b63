#include "tail_bench.hpp"

#include "dense.hpp"
#include "device_timing.hpp"
#include "first_layer_gradient.hpp"
#include "layers.hpp"
#include "output_pass.hpp"
#include "random_values.hpp"

#include <cmath>
#include <string>
#include <vector>

namespace widehash::bench {
namespace {

using cuda::DeviceBuffer;

constexpr std::uint32_t units = 32;
constexpr auto activation = ActivationKind::tanh;

/// A hidden layer's sums for a batch, and what lies behind them.
class Batch {
 public:
  explicit Batch(std::size_t num_rows)
      : host_sums_(random_floats(num_rows * units)),
        host_weights_(random_floats(units)),
        sums(cuda::make_device_copy<float>(device(), host_sums_, "sums")),
        targets(cuda::make_device_copy<float>(device(), std::vector<float>(num_rows, 1.0f), "targets")),
        weights(cuda::make_device_copy<float>(device(), host_weights_, "weights")),
        biases(device(), units + 1, "biases"),
        values(device(), num_rows * units, "activations"),
        outputs(device(), num_rows, "outputs"),
        output_deltas(device(), num_rows, "deltas"),
        deltas(device(), num_rows * units, "deltas"),
        gradient(device(), 2 * units + 1, "gradient"),
        status(device(), 1, "status") {
    biases.clear(device().stream());
    status.clear(device().stream());
    rows.num_rows = num_rows;
    rows.targets = targets.data();
  }

  /// Nothing, or what is wrong with the deltas.
  std::string wrong_deltas() const {
    std::vector<float> actual(deltas.size());
    cuda::copy_to_host<float>(deltas.data(), actual, device().stream());
    device().stream().synchronize();
    for (std::size_t row = 0; row < rows.num_rows; ++row) {
      const float* const z = host_sums_.data() + row * units;
      double output = 0;
      for (std::uint32_t u = 0; u < units; ++u) output += std::tanh(double{z[u]}) * double{host_weights_[u]};
      const double output_delta = (1 / (1 + std::exp(-output)) - 1) / static_cast<double>(rows.num_rows);
      for (std::uint32_t u = 0; u < units; ++u) {
        const double a = std::tanh(double{z[u]});
        const double expected = output_delta * double{host_weights_[u]} * (1 - a * a);
        const auto found = double{actual[row * units + u]};
        if (!(std::abs(found - expected) <= 1e-5 * std::abs(expected)))
          return "a delta of row " + std::to_string(row) + " is " + std::to_string(found) + ", not " +
                 std::to_string(expected);
      }
    }
    return {};
  }

 private:
  std::vector<float> host_sums_;
  std::vector<float> host_weights_;

 public:
  cuda::DeviceRows rows;
  DeviceBuffer<float> sums;
  DeviceBuffer<float> targets;
  DeviceBuffer<float> weights;
  DeviceBuffer<float> biases;  // of the units, and of the output
  DeviceBuffer<float> values;
  DeviceBuffer<float> outputs;
  DeviceBuffer<float> output_deltas;
  DeviceBuffer<float> deltas;
  DeviceBuffer<float> gradient;  // of biases, and of weights
  DeviceBuffer<cuda::StepStatus> status;
};

template <class Work>
void checked(benchmark::State& state, const Batch& batch, const Work& work) {
  work();
  if (const std::string what = batch.wrong_deltas(); !what.empty()) return state.SkipWithError(what.c_str());
  measure(state, work);
  // Sums read, deltas written.
  report(state, batch.rows.num_rows, 2 * batch.sums.size() * sizeof(float));
}

void pass(benchmark::State& state) {
  const Batch batch(static_cast<std::size_t>(state.range(0)));
  cuda::OutputPass output;
  checked(state, batch, [&] {
    output.compute(device(), LossKind::logistic, activation, batch.rows, units,
                   static_cast<double>(batch.rows.num_rows),
                   {batch.sums.data(), batch.biases.data(), batch.weights.data(), batch.biases.data() + units,
                    batch.deltas.data(), batch.gradient.data(), batch.gradient.data() + units + 1,
                    batch.gradient.data() + units},
                   batch.status.data());
  });
}

/// As a wider layer goes.
void pieces(benchmark::State& state) {
  const Batch batch(static_cast<std::size_t>(state.range(0)));
  const std::uint64_t num_rows = batch.rows.num_rows;
  const std::uint64_t size = num_rows * units;
  const cuda::DenseShape shape{num_rows, units, 1};
  cuda::LossSum losses;
  cuda::ColumnSums columns;
  checked(state, batch, [&] {
    // Activations take the place of sums, which are wanted again.
    cuda::check(cudaMemcpyAsync(batch.values.data(), batch.sums.data(), size * sizeof(float),
                                cudaMemcpyDeviceToDevice, device().stream().get()),
                "cudaMemcpyAsync");
    cuda::add_bias(device(), batch.biases.data(), activation, num_rows, units, batch.values.data());
    cuda::dense_forward(device(), shape, batch.values.data(), batch.weights.data(), batch.outputs.data());
    cuda::add_bias(device(), batch.biases.data() + units, ActivationKind::linear, num_rows, 1,
                   batch.outputs.data());
    losses.compute(device(), LossKind::logistic, batch.rows, 1, batch.outputs.data(),
                   static_cast<double>(num_rows), batch.output_deltas.data(), batch.status.data());
    columns.compute(device(), batch.output_deltas.data(), num_rows, 1, batch.gradient.data() + units);
    columns.compute_weighted(device(), batch.values.data(), batch.output_deltas.data(), num_rows, units,
                             batch.gradient.data() + units + 1);
    cuda::dense_backward_input(device(), shape, batch.output_deltas.data(), batch.weights.data(),
                               batch.deltas.data());
    cuda::through_activation(device(), activation, batch.values.data(), size, batch.deltas.data());
    columns.compute(device(), batch.deltas.data(), num_rows, units, batch.gradient.data());
    cuda::find_largest_delta(device(), batch.deltas.data(), size, batch.status.data());
    cuda::look_for_not_finite(device(), batch.gradient.data(), batch.gradient.size(), batch.status.data());
  });
}

}  // namespace

void register_tail() {
  const auto add = [](const char* name, auto function) {
    add_benchmark(name, function)->UseManualTime()->Unit(benchmark::kMicrosecond)->Arg(512)->Arg(65536);
  };
  add("tail/pass", pass);
  add("tail/pieces", pieces);
}

}  // namespace widehash::bench
