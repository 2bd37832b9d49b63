// One launch that updates many tensors, from plain gradients and from fixed-point sums, compared with the
// rules themselves.

#include "cuda/update.hpp"

#include "cuda/pinned_buffer.hpp"
#include "cuda_test.hpp"
#include "network/optimizer_kinds.hpp"
#include "on_device.hpp"
#include "update_rules.hpp"

#include <algorithm>
#include <bit>
#include <random>
#include <vector>

namespace widehash::cuda {
namespace {

constexpr int term_bits = 10;

std::vector<float> random_values(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(count);
  // Every third value is 0, so that there are enough values that a rule may leave unchanged.
  for (std::size_t i = 0; i < count; ++i) values[i] = i % 3 == 0 ? 0.0f : uniform(random);
  return values;
}

/// e of fixed_point.cuh for a largest delta of 1.
constexpr double scale = 0x1p50;  // min(62 - 10, 51) - 1

std::vector<unsigned long long> in_fixed_point(const std::vector<float>& gradient) {
  std::vector<unsigned long long> sums(gradient.size());
  std::ranges::transform(gradient, sums.begin(), [](float g) {
    return static_cast<unsigned long long>(static_cast<long long>(static_cast<double>(g) * scale));
  });
  return sums;
}

/// A tensor on the device, and what the rule makes of it on the host.
struct Tensor {
  Tensor(const DeviceContext& context, std::size_t size, unsigned seed, bool has_sums, bool is_regularised)
      : weights(random_values(size, seed)),
        first(size, 0.5f),
        second(size, 0.25f),
        gradient(random_values(size, seed + 1000)),
        device_weights(on_device(context, weights)),
        device_first(on_device(context, first)),
        device_second(on_device(context, second)),
        device_gradient(on_device(context, gradient)),
        device_sums(on_device(context, in_fixed_point(gradient))) {
    run.size = size;
    run.regularise = is_regularised;
    run.weights = device_weights.data();
    run.first = device_first.data();
    run.second = device_second.data();
    if (has_sums) {
      run.sums = device_sums.data();
    } else {
      run.gradient = device_gradient.data();
    }
  }

  void update(const OptimizerSettings& settings, std::uint64_t step) {
    detail::with_rule<float>(settings, step, run.regularise, [&](const auto& rule) {
      for (std::size_t i = 0; i < weights.size(); ++i) rule(weights[i], gradient[i], &first[i], &second[i]);
    });
  }

  std::vector<float> weights;
  std::vector<float> first;
  std::vector<float> second;
  std::vector<float> gradient;
  DeviceBuffer<float> device_weights;
  DeviceBuffer<float> device_first;
  DeviceBuffer<float> device_second;
  DeviceBuffer<float> device_gradient;
  DeviceBuffer<unsigned long long> device_sums;
  UpdateRun run;
};

class UpdateOnDevice : public CudaTest {
 protected:
  /// More tensors than one launch takes, with sizes around those of a block, some of them empty.
  static std::vector<Tensor> tensors(const DeviceContext& context) {
    std::vector<Tensor> tensors;
    for (const std::size_t size : {3000, 1, 0, 255, 256, 257, 7, 512, 0, 1, 90, 31, 32, 33, 1, 2, 3, 600, 5})
      tensors.emplace_back(context, size, static_cast<unsigned>(tensors.size()), tensors.size() % 4 == 0,
                           tensors.size() % 2 == 0);
    return tensors;
  }

  static DeviceBuffer<StepStatus> status_of(const DeviceContext& context, float largest_delta) {
    StepStatus status;
    status.largest_delta = std::bit_cast<std::uint32_t>(largest_delta);
    return on_device(context, std::vector<StepStatus>{status});
  }

  /// The status that the host receives.
  static StepStatus run(const DeviceContext& context, const OptimizerSettings& settings, std::uint64_t step,
                        const std::vector<Tensor>& tensors, StepStatus* status) {
    std::vector<UpdateRun> runs;
    runs.reserve(tensors.size());
    for (const Tensor& tensor : tensors) runs.push_back(tensor.run);
    const PinnedBuffer<StepStatus> told(1);
    update(context, settings, step, runs, term_bits, status, told.data());
    context.stream().synchronize();
    return told[0];
  }
};

TEST_F(UpdateOnDevice, EveryRuleMovesEveryTensor) {
  const DeviceContext context(0);
  for (const OptimizerKind kind : test::optimizer_kinds) {
    for (const double penalty : {0.0, 1e-2}) {
      OptimizerSettings settings;
      settings.kind = kind;
      settings.learning_rate = 0.1;
      settings.decay_steps = kind == OptimizerKind::ftrl ? 0 : 10;
      settings.l1 = penalty;
      settings.l2 = penalty;
      auto all = tensors(context);
      const auto status = status_of(context, 1);
      run(context, settings, 3, all, status.data());
      for (Tensor& tensor : all) {
        tensor.update(settings, 3);
        // Sums with 50 bits after the binary point hold every bit of a float, so both ways give the same.
        EXPECT_EQ(on_host(context, tensor.device_weights), tensor.weights) << to_string(kind);
        EXPECT_EQ(on_host(context, tensor.device_first), tensor.first) << to_string(kind);
        EXPECT_EQ(on_host(context, tensor.device_second), tensor.second) << to_string(kind);
        if (tensor.run.sums == nullptr) continue;
        for (const unsigned long long sum : on_host(context, tensor.device_sums)) ASSERT_EQ(sum, 0u);
      }
      EXPECT_EQ(on_host(context, status)[0].gradient_not_finite, 0u);
    }
  }
}

TEST_F(UpdateOnDevice, ARefusedStepMovesNothingAndLeavesNoSums) {
  const DeviceContext context(0);
  OptimizerSettings settings;
  settings.kind = OptimizerKind::adam;
  StepStatus outputs;
  outputs.outputs_not_finite = 1;
  outputs.largest_delta = std::bit_cast<std::uint32_t>(1.0f);
  StepStatus gradient = outputs;
  gradient.outputs_not_finite = 0;
  gradient.gradient_not_finite = 1;
  StepStatus large;
  large.largest_delta = std::bit_cast<std::uint32_t>(0x1p117f);  // 1023 of them do not fit a float
  StepStatus infinite;
  infinite.largest_delta = 0x7F800000u;
  for (const StepStatus& refused : {outputs, gradient, large, infinite}) {
    const auto all = tensors(context);
    const auto status = on_device(context, std::vector<StepStatus>{refused});
    const StepStatus told = run(context, settings, 1, all, status.data());
    for (const Tensor& tensor : all) {
      EXPECT_EQ(on_host(context, tensor.device_weights), tensor.weights);
      EXPECT_EQ(on_host(context, tensor.device_first), tensor.first);
      if (tensor.run.sums == nullptr) continue;
      for (const unsigned long long sum : on_host(context, tensor.device_sums)) ASSERT_EQ(sum, 0u);
    }
    const StepStatus after = on_host(context, status)[0];
    EXPECT_EQ(after.outputs_not_finite + after.gradient_not_finite, 1u);
    EXPECT_EQ(told.outputs_not_finite, after.outputs_not_finite);
    EXPECT_EQ(told.gradient_not_finite, after.gradient_not_finite);
  }
  // At half of that, they fit.
  const auto all = tensors(context);
  const auto status = status_of(context, 0x1p116f);
  run(context, settings, 1, all, status.data());
  EXPECT_EQ(on_host(context, status)[0].gradient_not_finite, 0u);
}

TEST_F(UpdateOnDevice, TheHostLearnsThatThereIsNothingToMove) {
  const DeviceContext context(0);
  StepStatus status;
  status.loss = 7;
  const auto on_it = on_device(context, std::vector<StepStatus>{status});
  std::vector<Tensor> empty;
  empty.emplace_back(context, 0, 1, false, true);
  EXPECT_EQ(run(context, {}, 1, empty, on_it.data()).loss, 7);
}

TEST_F(UpdateOnDevice, TheHostLearnsOfSumsThatDoNotFit) {
  const DeviceContext context(0);
  std::vector<Tensor> one;
  one.emplace_back(context, 40, 1, true, true);
  EXPECT_EQ(run(context, {}, 1, one, status_of(context, 0x1p117f).data()).gradient_not_finite, 1u);
  EXPECT_EQ(run(context, {}, 1, one, status_of(context, 0x1p116f).data()).gradient_not_finite, 0u);
}

TEST_F(UpdateOnDevice, SumsOfTheLastLaunchRefuseTheFirst) {
  const DeviceContext context(0);
  OptimizerSettings settings;
  settings.kind = OptimizerKind::sgd;
  std::vector<Tensor> all;
  for (unsigned i = 0; i < 20; ++i) all.emplace_back(context, 40, i, i == 19, true);
  const auto status = status_of(context, 0x1p117f);
  const StepStatus told = run(context, settings, 1, all, status.data());
  for (const Tensor& tensor : all) EXPECT_EQ(on_host(context, tensor.device_weights), tensor.weights);
  EXPECT_EQ(on_host(context, status)[0].gradient_not_finite, 1u);
  EXPECT_EQ(told.gradient_not_finite, 1u);
}

}  // namespace
}  // namespace widehash::cuda
