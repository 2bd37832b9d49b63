#include "batches.hpp"
#include "network_cases.hpp"

#include <widehash/error.hpp>
#include <widehash/loss.hpp>
#include <widehash/replica.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

template <class Real>
class CpuReplicas : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(CpuReplicas, Reals);

template <class Real>
struct Start {
  Start(const CodeLayout& layout, std::vector<std::uint32_t> hidden)
      : network(architecture_of(layout, std::move(hidden))),
        optimizer(default_settings(OptimizerKind::adagrad), network.parameters()) {}

  static Architecture architecture_of(const CodeLayout& layout, std::vector<std::uint32_t> hidden) {
    Architecture architecture;
    architecture.num_columns = layout.num_columns;
    architecture.hidden = std::move(hidden);
    architecture.active_columns = active_columns(layout);
    return architecture;
  }
  std::unique_ptr<Replica<Real>> replica(bool shares_gradient) const {
    return make_cpu_replica<Real>(network, optimizer,
                                  {network.columns(), network.columns(), shares_gradient});
  }

  Network<Real> network;
  Optimizer<Real> optimizer;
};

/// All values of a set: the first layer's, then the tail with the numbers that follow it.
template <class Real>
std::vector<Real> all_values(Replica<Real>& replica, ValueSet set) {
  const auto first = replica.first_values(set).host();
  std::vector<Real> values(first.begin(), first.end());
  replica.with_tail(set, [&](DeviceSpan<Real> tail) {
    values.insert(values.end(), tail.host().begin(), tail.host().end());
  });
  return values;
}

template <class Real>
std::vector<Real> all_values(const Parameters<Real>& parameters) {
  std::vector<Real> values;
  for (const auto& tensor : parameters.tensors())
    values.insert(values.end(), tensor.values.begin(), tensor.values.end());
  return values;
}

TYPED_TEST(CpuReplicas, StepInTwoIsTheStepByItsPieces) {
  const auto layout = test::mixed_layout();
  for (const std::vector<std::uint32_t>& hidden : {std::vector<std::uint32_t>{}, {5, 3}}) {
    Start<TypeParam> pieces(*layout, hidden);
    const auto replica = pieces.replica(true);
    // No slice of rows, less than one, exactly two, and two with a remainder; then few rows after many.
    for (const std::size_t rows : {0, 100, 8192, 9001, 3}) {
      const CodeBatch batch = test::random_batch(layout, rows, rows + 1);
      const double normaliser = 2 * sum_of_weights(batch.weights, rows) + 1;
      double expected = 0;
      const auto gradient = test::gradient_of(pieces.network, batch.view(), normaliser, &expected);
      replica->begin_gradient(batch.view(), normaliser, "a step");
      std::vector<TypeParam> numbers = all_values(gradient);
      numbers.insert(numbers.end(), num_refusals, 0);
      EXPECT_EQ(all_values(*replica, ValueSet::gradient), numbers) << rows;
      pieces.optimizer.update(pieces.network.parameters(), gradient, nullptr);
      replica->begin_update();
      EXPECT_NEAR(replica->finish_step(), expected, 1e-12 * expected) << rows;
      EXPECT_EQ(all_values(*replica, ValueSet::parameters), all_values(pieces.network.parameters())) << rows;
    }
  }
}

TYPED_TEST(CpuReplicas, SumsThatNobodyAddsToGiveTheStepOfOneDevice) {
  const auto layout = test::mixed_layout();
  for (const std::vector<std::uint32_t>& hidden : {std::vector<std::uint32_t>{}, {5, 3}}) {
    const Start<TypeParam> start(*layout, hidden);
    const auto alone = start.replica(false);
    const auto owner = start.replica(false);
    for (const std::size_t rows : {0, 100, 8192, 9001, 3}) {
      const CodeBatch batch = test::random_batch(layout, rows, rows + 1);
      std::size_t completed = 0;
      const auto complete = [&](DeviceSpan<TypeParam> sums) { completed += sums.size; };
      const double expected = alone->train_step(batch.view(), "a step");
      owner->begin_step(batch.view(), "a step", nullptr, complete);
      EXPECT_EQ(owner->finish_step(), expected);
      EXPECT_EQ(completed, rows * start.network.architecture().first_units());
      EXPECT_EQ(all_values(*owner, ValueSet::parameters), all_values(*alone, ValueSet::parameters)) << rows;

      std::vector<TypeParam> with(rows);
      std::vector<TypeParam> without(rows);
      owner->predict(batch.view(), with, complete);
      alone->predict(batch.view(), without);
      EXPECT_EQ(with, without);
    }
  }
}

TYPED_TEST(CpuReplicas, WhoPreparesRowsFindsTheirWeight) {
  const auto layout = test::mixed_layout();
  const Start<TypeParam> start(*layout, {});
  const auto replica = start.replica(false);
  const CodeBatch batch = test::random_batch(layout, 50, 1);
  ASSERT_FALSE(batch.weights.empty());
  const auto prepared = replica->prepare(batch.view());
  ASSERT_NE(prepared, nullptr);
  EXPECT_EQ(prepared->weight(), sum_of_weights(batch.weights, 50));
  CodeBatchView plain = batch.view();
  plain.weights = {};
  EXPECT_EQ(replica->prepare(plain), nullptr);  // there is nothing to prepare
}

TYPED_TEST(CpuReplicas, WhatAnotherReplicaRefusesIsRefusedForTheSameReason) {
  const auto layout = test::mixed_layout();
  const CodeBatch batch = test::random_batch(layout, 50, 1);
  const Start<TypeParam> start(*layout, {});
  for (std::size_t which = 0; which < num_refusals; ++which) {
    const auto replica = start.replica(true);
    const auto before = all_values(*replica, ValueSet::parameters);
    replica->begin_gradient(batch.view(), 50, "step 7");
    replica->with_tail(ValueSet::gradient, [&](DeviceSpan<TypeParam> tail) {
      tail.host()[tail.size - num_refusals + which] = 3;
    });
    try {
      replica->begin_update();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const DataError& error) {
      const std::string reason =
          which == 0 ? "step 7: the loss is not finite" : "step 7: the gradient is not finite";
      EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
    }
    EXPECT_EQ(all_values(*replica, ValueSet::parameters), before);
    // The refusal does not affect the next gradient.
    replica->begin_gradient(batch.view(), 50, "step 8");
    replica->begin_update();
  }
}

}  // namespace
}  // namespace widehash
