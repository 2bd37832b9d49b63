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

/// A hidden layer's sums for a batch, and what follows from them. Each measured turn has sums and deltas of
/// its own: for 65,536 rows they are 17 MB, which the second-level cache would otherwise keep for the next turn.
class Batch {
 public:
  explicit Batch(std::size_t num_rows)
      : size(num_rows * units),
        num_turns(static_cast<std::size_t>(works_at_once())),
        host_sums_(random_floats(size)),
        host_weights_(random_floats(units)),
        sums(device(), num_turns * size, "sums"),
        targets(cuda::make_device_copy<float>(device(), std::vector<float>(num_rows, 1.0f), "targets")),
        weights(cuda::make_device_copy<float>(device(), host_weights_, "weights")),
        biases(device(), units + 1, "biases"),
        values(device(), num_turns * size, "activations"),
        outputs(device(), num_rows, "outputs"),
        output_deltas(device(), num_rows, "deltas"),
        deltas(device(), num_turns * size, "deltas"),
        gradient(device(), 2 * units + 1, "gradient"),
        status(device(), 1, "status") {
    for (std::size_t turn = 0; turn < num_turns; ++turn)
      cuda::copy_to_device<float>(host_sums_, sums.data() + turn * size, device().stream());
    biases.clear(device().stream());
    status.clear(device().stream());
    rows.num_rows = num_rows;
    rows.targets = targets.data();
  }

  /// What is wrong with the deltas of the first turn; empty if nothing is.
  std::string wrong_deltas() const {
    std::vector<float> actual(size);
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

  std::size_t size;  // of one turn
  std::size_t num_turns;

 private:
  std::vector<float> host_sums_;
  std::vector<float> host_weights_;

 public:
  cuda::DeviceRows rows;
  DeviceBuffer<float> sums;  // [turns x rows x units], as are values and deltas
  DeviceBuffer<float> targets;
  DeviceBuffer<float> weights;
  DeviceBuffer<float> biases;  // of the units, then of the output
  DeviceBuffer<float> values;
  DeviceBuffer<float> outputs;
  DeviceBuffer<float> output_deltas;
  DeviceBuffer<float> deltas;
  DeviceBuffer<float> gradient;  // of biases, and of weights
  DeviceBuffer<cuda::StepStatus> status;
};

/// Calls work(turn) for each turn.
template <class Work, class Before>
void checked(benchmark::State& state, const Batch& batch, const Work& work, const Before& before) {
  before();
  work(0);
  if (const std::string what = batch.wrong_deltas(); !what.empty()) return state.SkipWithError(what.c_str());
  measure_turns(state, work, works_at_once(), before);
  // Sums are read, deltas written.
  report(state, batch.rows.num_rows, 2 * batch.size * sizeof(float));
}

void pass(benchmark::State& state) {
  const Batch batch(static_cast<std::size_t>(state.range(0)));
  cuda::OutputPass output;
  const auto work = [&](std::size_t turn) {
    output.compute(device(), LossKind::logistic, activation, batch.rows, units,
                   static_cast<double>(batch.rows.num_rows),
                   {batch.sums.data() + turn * batch.size, batch.biases.data(), batch.weights.data(),
                    batch.biases.data() + units, batch.deltas.data() + turn * batch.size,
                    batch.gradient.data(), batch.gradient.data() + units + 1, batch.gradient.data() + units},
                   batch.status.data());
  };
  checked(state, batch, work, [] {});
}

/// The separate kernels that wider layers use.
void pieces(benchmark::State& state) {
  const Batch batch(static_cast<std::size_t>(state.range(0)));
  const std::uint64_t num_rows = batch.rows.num_rows;
  const cuda::DenseShape shape{num_rows, units, 1};
  cuda::LossSum losses;
  cuda::ColumnSums columns;
  // Activations overwrite the sums, which every run needs again.
  const auto before = [&] {
    cuda::copy_on_device(batch.sums.data(), batch.values.data(), batch.sums.size(), device().stream());
  };
  const auto work = [&](std::size_t turn) {
    float* const values = batch.values.data() + turn * batch.size;
    float* const deltas = batch.deltas.data() + turn * batch.size;
    cuda::add_bias(device(), batch.biases.data(), activation, num_rows, units, values);
    cuda::dense_forward(device(), shape, values, batch.weights.data(), batch.outputs.data());
    cuda::add_bias(device(), batch.biases.data() + units, ActivationKind::linear, num_rows, 1,
                   batch.outputs.data());
    losses.compute(device(), LossKind::logistic, batch.rows, 1, batch.outputs.data(),
                   static_cast<double>(num_rows), batch.output_deltas.data(), batch.status.data());
    columns.compute(device(), batch.output_deltas.data(), num_rows, 1, batch.gradient.data() + units);
    columns.compute_weighted(device(), values, batch.output_deltas.data(), num_rows, units,
                             batch.gradient.data() + units + 1);
    cuda::dense_backward_input(device(), shape, batch.output_deltas.data(), batch.weights.data(), deltas);
    cuda::through_activation(device(), activation, values, batch.size, deltas);
    columns.compute(device(), deltas, num_rows, units, batch.gradient.data());
    cuda::find_largest_delta(device(), deltas, batch.size, batch.status.data());
    cuda::look_for_not_finite(device(), batch.gradient.data(), batch.gradient.size(), batch.status.data());
  };
  checked(state, batch, work, before);
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
