#include "first_layer_bench.hpp"

#include "device_timing.hpp"
#include "first_layer_gradient.hpp"
#include "first_layer_variants.hpp"
#include "gather_sum.hpp"
#include "linear_pass.hpp"
#include "random_values.hpp"
#include "scatter_tiles.hpp"
#include "slot_plan_copy.hpp"
#include "sorted_gradient.hpp"
#include "staged_rows.hpp"
#include "transpose.hpp"
#include "update.hpp"

#include <widehash/first_layer.hpp>
#include <widehash/optimizer.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace widehash::bench {
namespace {

using cuda::DeviceBuffer;
using cuda::StepStatus;

/// The rows on the device, and a first layer of `units` units with deltas for it.
class Layer {
 public:
  Layer(const CodeBatchView& host_rows, std::uint32_t units)
      : Layer(host_rows, units, random_floats(host_rows.layout->num_columns * units)) {}
  Layer(const CodeBatchView& host_rows, std::uint32_t units, std::vector<float> host_weights)
      : host_rows_(host_rows),
        units_(units),
        all_{0, host_rows.layout->num_columns},
        host_weights_(std::move(host_weights)),
        host_deltas_(random_floats(host_rows.num_rows * units)),
        staged_(device()),
        plan(device(), *host_rows.layout, all_),
        tiles(device(), plan, units),
        weights(cuda::make_device_copy<float>(device(), host_weights_, "weights")),
        deltas(cuda::make_device_copy<float>(device(), host_deltas_, "deltas")),
        sums(device(), host_deltas_.size(), "sums"),
        gradient(device(), host_weights_.size(), "gradient"),
        status(device(), 1, "status") {
    staged_.stage(host_rows);
    rows = staged_.take();
    status.clear(device().stream());
    cuda::find_largest_delta(device(), deltas.data(), deltas.size(), status.data());
    device().stream().synchronize();
  }

  /// What is wrong with the sums of rows in `sums`; empty if nothing is.
  std::string wrong_sums() const {
    const std::vector<double> wide(host_weights_.begin(), host_weights_.end());
    std::vector<double> expected(host_deltas_.size());
    widehash::gather_sum<double>(host_rows_, wide, all_, units_, expected);
    return difference(sums, expected);
  }
  std::string wrong_gradient() const {
    const std::vector<double> wide(host_deltas_.begin(), host_deltas_.end());
    std::vector<double> expected(host_weights_.size());
    scatter_gradient<double>(host_rows_, wide, all_, units_, expected, nullptr);
    return difference(gradient, expected);
  }

 private:
  static std::string difference(const DeviceBuffer<float>& actual, const std::vector<double>& expected) {
    std::vector<float> values(actual.size());
    cuda::copy_to_host<float>(actual.data(), values, device().stream());
    device().stream().synchronize();
    double largest = 0;
    for (const double value : expected) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < values.size(); ++i) {
      // With floats added one by one, the error of a frequent column's sum grows with its number of rows.
      if (!(std::abs(static_cast<double>(values[i]) - expected[i]) <= 1e-4 * largest))
        return "value " + std::to_string(i) + " is " + std::to_string(values[i]) + ", not " +
               std::to_string(expected[i]);
    }
    return {};
  }

  CodeBatchView host_rows_;
  std::uint32_t units_;
  ColumnRange all_;
  std::vector<float> host_weights_;
  std::vector<float> host_deltas_;
  cuda::StagedRows staged_;

 public:
  cuda::DeviceRows rows;
  cuda::SlotPlanCopy plan;
  cuda::ScatterTiles tiles;
  DeviceBuffer<float> weights;
  DeviceBuffer<float> deltas;
  DeviceBuffer<float> sums;
  DeviceBuffer<float> gradient;
  DeviceBuffer<StepStatus> status;
};

template <class Work>
void measure_rows(benchmark::State& state, const Layer& layer, std::uint32_t units, const Work& work) {
  measure(state, work);
  const auto slots = layer.plan.codes().size() + layer.plan.byte_codes().size();
  report(state, layer.rows.num_rows, 0);
  state.counters["additions_per_row"] = static_cast<double>(slots * units);
}

/// Runs work() once, checks the result with wrong(), and measures it.
template <class Work, class Wrong>
void checked(benchmark::State& state, const Layer& layer, std::uint32_t units, const Work& work,
             const Wrong& wrong) {
  work();
  if (const std::string what = wrong(); !what.empty()) return state.SkipWithError(what.c_str());
  measure_rows(state, layer, units, work);
}

std::uint32_t units_of(const benchmark::State& state) { return static_cast<std::uint32_t>(state.range(0)); }

/// Transposes the 16-bit codes and the 8-bit codes after them, as a step does.
void turn(benchmark::State& state, const CodeBatchView& host_rows) {
  const std::uint64_t stride = host_rows.num_rows;
  const CodeLayout& layout = *host_rows.layout;
  const auto from = cuda::make_device_copy<std::uint16_t>(device(), host_rows.codes, "codes");
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(from.data() + layout.wide_codes);
  const DeviceBuffer<std::uint16_t> to(device(), stride * layout.wide_codes, "codes");
  const DeviceBuffer<std::uint8_t> to_bytes(device(), stride * layout.byte_codes, "codes of a byte");
  measure(state, [&] {
    cuda::transpose<std::uint16_t>(from.data(), stride, layout.wide_codes, layout.code_stride, stride,
                                   to.data(), device().stream());
    cuda::transpose<std::uint8_t>(bytes, stride, layout.byte_codes,
                                  std::uint64_t{layout.code_stride} * sizeof(std::uint16_t), stride,
                                  to_bytes.data(), device().stream());
  });
  report(state, host_rows.num_rows, 2 * (to.size() * sizeof(std::uint16_t) + to_bytes.size()));
}

void gather(benchmark::State& state, const CodeBatchView& host_rows) {
  const std::uint32_t units = units_of(state);
  const Layer layer(host_rows, units);
  checked(
      state, layer, units,
      [&] {
        cuda::gather_sum(layer.rows, layer.plan.device(), layer.weights.data(), units, layer.sums.data(),
                         device().stream());
      },
      [&] { return layer.wrong_sums(); });
}

/// The weights are representable in bfloat16, so the sums equal those of the same weights as floats.
void gather_in_bfloat16(benchmark::State& state, const CodeBatchView& host_rows) {
  const std::uint32_t units = units_of(state);
  std::vector<float> weights = random_floats(host_rows.layout->num_columns * units);
  std::vector<std::uint16_t> halves(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    halves[i] = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(weights[i]) >> 16);
    weights[i] = std::bit_cast<float>(std::uint32_t{halves[i]} << 16);
  }
  const Layer layer(host_rows, units, std::move(weights));
  const auto device_weights = cuda::make_device_copy<std::uint16_t>(device(), halves, "weights");
  checked(
      state, layer, units,
      [&] {
        gather_bfloat16(device(), layer.rows, layer.plan.device(), device_weights.data(), units,
                        layer.sums.data());
      },
      [&] { return layer.wrong_sums(); });
}

void staged(benchmark::State& state, const CodeBatchView& host_rows) {
  const Layer layer(host_rows, 1);
  StagedGather way(device(), layer.plan);
  checked(
      state, layer, 1, [&] { way.compute(layer.rows, layer.weights.data(), layer.sums.data()); },
      [&] { return layer.wrong_sums(); });
}

/// Includes the loss. The loss of squares shows whether the sums are right. The measured loss is the one for
/// two classes, which additionally needs a logarithm and an exponential in double.
void linear(benchmark::State& state, const CodeBatchView& host_rows) {
  const Layer layer(host_rows, 1);
  const DeviceBuffer<float> bias(device(), 2, "bias and its gradient");
  const DeviceBuffer<StepStatus> status(device(), 1, "status");
  bias.clear(device().stream());
  status.clear(device().stream());
  cuda::LinearPass pass;
  const auto compute = [&](LossKind loss) {
    pass.compute(device(), loss, layer.rows, layer.plan.device(), 2.0,
                 {layer.weights.data(), bias.data(), layer.sums.data(), bias.data() + 1}, status.data());
  };
  compute(LossKind::mse);
  // For squares with a normaliser of 2, a delta is the row's output minus its target.
  std::vector<float> values(layer.sums.size());
  cuda::copy_to_host<float>(layer.sums.data(), values, device().stream());
  device().stream().synchronize();
  for (std::size_t row = 0; row < values.size(); ++row) values[row] += host_rows.targets[row];
  cuda::copy_to_device<float>(values, layer.sums.data(), device().stream());
  if (const std::string what = layer.wrong_sums(); !what.empty()) return state.SkipWithError(what.c_str());
  measure_rows(state, layer, 1, [&] { compute(LossKind::logistic); });
}

void gradient(benchmark::State& state, const CodeBatchView& host_rows) {
  const std::uint32_t units = units_of(state);
  const Layer layer(host_rows, units);
  cuda::FirstLayerGradient way(device(), layer.plan.device().num_rows, units);
  const auto add_up = [&] {
    way.add_up(layer.rows, layer.plan, layer.tiles, layer.deltas.data(), layer.status.data());
  };
  checked(state, layer, units, add_up, [&] {
    way.finish(layer.rows, layer.plan, layer.deltas.data(), layer.status.data(), layer.gradient.data());
    return layer.wrong_gradient();
  });
}

void add_in_any_order(benchmark::State& state, const CodeBatchView& host_rows, bool by_vectors) {
  const std::uint32_t units = units_of(state);
  const Layer layer(host_rows, units);
  layer.gradient.clear(device().stream());
  const auto add = by_vectors ? add_float_vectors : add_floats;
  checked(
      state, layer, units,
      [&] {
        add(device(), layer.rows, layer.plan.device(), layer.deltas.data(), units, layer.gradient.data());
      },
      [&] { return layer.wrong_gradient(); });
}

void sorted(benchmark::State& state, const CodeBatchView& host_rows) {
  const Layer layer(host_rows, 1);
  layer.gradient.clear(device().stream());
  SortedGradient way(device(), layer.plan.device(), layer.rows.num_rows);
  checked(
      state, layer, 1,
      [&] { way.compute(layer.rows, layer.plan.device(), layer.deltas.data(), layer.gradient.data()); },
      [&] { return layer.wrong_gradient(); });
}

/// Adagrad, with a gradient for every column. Each turn restores the sums that it consumes, and that is measured too.
void update(benchmark::State& state, const CodeBatchView& host_rows) {
  const std::uint32_t units = units_of(state);
  const Layer layer(host_rows, units);
  const std::size_t size = layer.weights.size();
  const auto kept = cuda::make_device_copy<unsigned long long>(
      device(), std::vector<unsigned long long>(size, 1'000'000), "sums");
  const DeviceBuffer<unsigned long long> sums(device(), size, "sums");
  const DeviceBuffer<float> squares(device(), size, "state");
  squares.clear(device().stream());
  cuda::UpdateRun run;
  run.size = size;
  run.weights = layer.weights.data();
  run.first = squares.data();
  run.sums = sums.data();
  const OptimizerSettings settings = default_settings(OptimizerKind::adagrad);
  measure(state, [&] {
    cuda::copy_on_device(kept.data(), sums.data(), size, device().stream());
    cuda::update(device(), settings, 1, std::span(&run, 1), cuda::term_bits_of(layer.rows),
                 layer.status.data(), nullptr);
  });
  report(state, layer.rows.num_rows,
         size * (3 * sizeof(std::uint64_t) + sizeof(std::uint64_t) + 4 * sizeof(float)));
}

}  // namespace

void register_first_layer(const CodeBatchView& rows) {
  const auto add = [&](const char* name, auto function, auto... arguments) {
    return add_benchmark(name, function, rows, arguments...)->UseManualTime()->Unit(benchmark::kMicrosecond);
  };
  add("first/turn", turn);
  add("first/gather", gather)->Arg(1)->Arg(32);
  add("first/gather_bfloat16", gather_in_bfloat16)->Arg(32);
  add("first/staged", staged);
  add("first/linear", linear);
  add("first/gradient", gradient)->Arg(1)->Arg(32);
  add("first/add_floats", add_in_any_order, false)->Arg(1)->Arg(32);
  add("first/add_vectors", add_in_any_order, true)->Arg(32);
  add("first/sorted", sorted);
  add("first/update", update)->Arg(1)->Arg(32);
}

}  // namespace widehash::bench
