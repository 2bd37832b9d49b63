#pragma once

/// \file
/// The same network on a device and on the processor, and the distance between the two.

#include "cuda_test.hpp"
#include "network/batches.hpp"
#include "network/optimizer_kinds.hpp"

#include <widehash/loss.hpp>
#include <widehash/replica.hpp>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace widehash::cuda {

struct Case {
  Architecture architecture;
  OptimizerSettings optimizer;
  std::shared_ptr<const CodeLayout> layout;
};

inline Case make_case(OptimizerKind kind, std::vector<std::uint32_t> hidden,
                      LossKind loss = LossKind::logistic, std::uint32_t outputs = 1,
                      ActivationKind activation = ActivationKind::tanh) {
  Case made;
  made.layout = test::mixed_layout();
  made.architecture.num_columns = made.layout->num_columns;
  made.architecture.hidden = std::move(hidden);
  made.architecture.outputs = outputs;
  made.architecture.loss = loss;
  made.architecture.activation = activation;
  made.architecture.active_columns = active_columns(*made.layout);
  made.architecture.seed = 3;
  made.optimizer = default_settings(kind, {made.architecture.active_columns, 0, true});
  made.optimizer.l1 = 1e-4;
  // Only for some rules: the others divide gradients by the weight of each step.
  if (kind == OptimizerKind::adagrad || kind == OptimizerKind::ftrl) made.optimizer.mean_weight = 0.75;
  made.optimizer.l2 = 1e-3;
  return made;
}

inline ReplicaShape whole(const Architecture& architecture) {
  const ColumnRange all{0, architecture.num_columns};
  return {all, all};
}

struct Pair {
  std::unique_ptr<Replica<float>> device;
  std::unique_ptr<Replica<float>> processor;
};

inline Pair make_pair(const Case& of, bool shares_gradient = false) {
  ReplicaShape shape = whole(of.architecture);
  shape.shares_gradient = shares_gradient;
  const Network<float> network(of.architecture);
  const Optimizer<float> optimizer(of.optimizer, network.parameters());
  return {make_cuda_replica(0, network, optimizer, shape),
          make_cpu_replica<float>(network, optimizer, shape)};
}

inline std::vector<std::size_t> tensor_sizes_of(const Architecture& architecture) {
  std::vector<std::size_t> sizes;
  for (const auto& tensor :
       make_zero_parameters<float>(architecture, {0, architecture.num_columns}).tensors())
    sizes.push_back(tensor.values.size());
  return sizes;
}

/// |a - b| / |a| of a set, with all tensors as one vector.
inline double distance(const Replica<float>& a, const Replica<float>& b, ValueSet set) {
  const auto sizes = tensor_sizes_of(a.architecture());
  std::vector<float> scratch_a;
  std::vector<float> scratch_b;
  double size = 0;
  double difference = 0;
  for (std::size_t t = 0; t < sizes.size(); ++t) {
    const auto x = a.read(set, t, 0, sizes[t], scratch_a);
    const auto y = b.read(set, t, 0, sizes[t], scratch_b);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double error = static_cast<double>(x[i]) - static_cast<double>(y[i]);
      size += static_cast<double>(x[i]) * static_cast<double>(x[i]);
      difference += error * error;
    }
  }
  return size > 0 ? std::sqrt(difference / size) : std::sqrt(difference);
}

inline void expect_same_state(const Pair& pair, double tolerance, const std::string& what) {
  EXPECT_LE(distance(*pair.processor, *pair.device, ValueSet::parameters), tolerance) << what;
  for (int state = 0; state < num_states(pair.device->optimizer().kind); ++state)
    EXPECT_LE(distance(*pair.processor, *pair.device, state_set(state)), tolerance)
        << what << ", state " << state;
  EXPECT_EQ(pair.device->step(), pair.processor->step());
}

class CudaReplicaTest : public CudaTest {};

}  // namespace widehash::cuda
