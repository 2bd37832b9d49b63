// Steps that begin before earlier ones have finished give the same results, and end in the same way if
// one is refused.

#include "cuda/device_buffer.hpp"
#include "cuda_test.hpp"
#include "network/batches.hpp"

#include <widehash/error.hpp>
#include <widehash/replica.hpp>

#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace widehash::cuda {
namespace {

struct Kind {
  OptimizerKind optimizer = OptimizerKind::adagrad;
  std::vector<std::uint32_t> hidden;
};

class BegunStepsTest : public CudaTest {
 protected:
  std::shared_ptr<const CodeLayout> layout_ = test::mixed_layout();

  Architecture architecture(const Kind& kind) const {
    Architecture architecture;
    architecture.num_columns = layout_->num_columns;
    architecture.hidden = kind.hidden;
    architecture.loss = LossKind::mse;
    return architecture;
  }

  std::unique_ptr<Replica<float>> replica(const Kind& kind, bool shares_gradient = false) const {
    return replica(kind, Network<float>(architecture(kind)), shares_gradient);
  }

  static std::unique_ptr<Replica<float>> replica(const Kind& kind, const Network<float>& network,
                                                 bool shares_gradient = false) {
    const Architecture& architecture = network.architecture();
    const Optimizer<float> optimizer(default_settings(kind.optimizer, {architecture.active_columns, 0, true}),
                                     network.parameters());
    const ColumnRange all{0, architecture.num_columns};
    return make_cuda_replica(0, network, optimizer, {all, all, shares_gradient});
  }

  CodeBatch batch(std::uint64_t step) const { return test::random_batch(layout_, 20 + 7 * step, step); }

  /// Parameters and states, with all tensors concatenated.
  static std::vector<float> all_values(const Replica<float>& replica) {
    std::vector<float> all;
    std::vector<float> scratch;
    const auto shapes = make_zero_parameters<float>(replica.architecture(), replica.shape().columns);
    std::vector<ValueSet> sets{ValueSet::parameters};
    for (int state = 0; state < num_states(replica.optimizer().kind); ++state)
      sets.push_back(state_set(state));
    for (const ValueSet set : sets) {
      for (std::size_t t = 0; t < shapes.tensors().size(); ++t) {
        const auto values = replica.read(set, t, 0, shapes.tensors()[t].values.size(), scratch);
        all.insert(all.end(), values.begin(), values.end());
      }
    }
    return all;
  }

  static void expect_gradient_refused(Replica<float>& device, const CodeBatchView& rows) {
    const std::vector<float> before = all_values(device);
    try {
      device.train_step(rows, "too steep");
      ADD_FAILURE() << "nothing was thrown";
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find("too steep: the gradient"), std::string::npos) << error.what();
    }
    EXPECT_EQ(all_values(device), before);
  }
};

std::vector<Kind> kinds() {
  return {{OptimizerKind::adagrad, {}}, {OptimizerKind::adam, {}}, {OptimizerKind::ftrl, {4}}};
}

TEST_F(BegunStepsTest, AreTheStepsOneAtATime) {
  for (const Kind& kind : kinds()) {
    const auto ahead = replica(kind);
    const auto plain = replica(kind);
    ASSERT_GT(ahead->steps_ahead(), 0u);
    std::vector<double> losses;
    std::size_t num_begun = 0;
    for (std::uint64_t step = 0; step < 11; ++step) {
      CodeBatch rows = batch(step);
      if (step == 6) rows.resize(0);
      plain->train_step(rows.view(), "a step");
      ahead->begin_step(rows.view(), "a step", ahead->prepare(rows.view()).get());
      if (++num_begun <= ahead->steps_ahead()) continue;
      losses.push_back(ahead->finish_step());
      --num_begun;
    }
    for (; num_begun > 0; --num_begun) losses.push_back(ahead->finish_step());
    EXPECT_EQ(all_values(*ahead), all_values(*plain));
    EXPECT_EQ(ahead->step(), plain->step());
    EXPECT_EQ(ahead->step(), 10u);

    const auto again = replica(kind);
    for (std::uint64_t step = 0; step < 11; ++step) {
      CodeBatch rows = batch(step);
      if (step == 6) rows.resize(0);
      EXPECT_EQ(again->train_step(rows.view(), "a step"), losses[step]) << "step " << step;
    }
  }
}

TEST_F(BegunStepsTest, MoreThanItCanBeAheadAreRefused) {
  const auto device = replica({});
  const CodeBatch rows = batch(1);
  for (std::size_t i = 0; i <= device->steps_ahead(); ++i) device->begin_step(rows.view(), "a step", nullptr);
  EXPECT_THROW(device->begin_step(rows.view(), "a step", nullptr), std::logic_error);
  for (std::size_t i = 0; i <= device->steps_ahead(); ++i) device->finish_step();
  EXPECT_THROW(device->finish_step(), std::logic_error);
}

TEST_F(BegunStepsTest, AReplicaMayBeGivenUpWhileTheDeviceIsAtIt) {
  const CodeBatch rows = batch(1);
  const auto after_a_step = [&] {
    const auto device = replica({});
    device->train_step(rows.view(), "a step");
    const std::vector<float> values = all_values(*device);
    // These are still in progress when the replica is destroyed.
    for (int i = 0; i < 2; ++i) device->begin_step(rows.view(), "a step", device->prepare(rows.view()).get());
    return values;
  };
  const std::vector<float> expected = after_a_step();
  EXPECT_EQ(after_a_step(), expected) << "the device was left in another state";
}

TEST_F(BegunStepsTest, NoneBehindOneThatIsRefusedMovesAnything) {
  for (const Kind& kind : kinds()) {
    const auto device = replica(kind);
    device->train_step(batch(1).view(), "first");
    const std::vector<float> before = all_values(*device);
    CodeBatch bad = batch(2);
    bad.targets[3] = std::numeric_limits<float>::max();
    bad.weights[3] = std::numeric_limits<float>::max();
    device->begin_step(bad.view(), "the bad one", nullptr);
    device->begin_step(batch(3).view(), "behind it", nullptr);
    device->begin_step(batch(4).view(), "and that", nullptr);
    try {
      device->finish_step();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find("the bad one"), std::string::npos) << error.what();
    }
    EXPECT_EQ(all_values(*device), before);
    EXPECT_EQ(device->step(), 1u);

    // It continues like a replica that has never seen those steps.
    const auto other = replica(kind);
    other->train_step(batch(1).view(), "first");
    EXPECT_EQ(device->train_step(batch(5).view(), "next"), other->train_step(batch(5).view(), "next"));
    EXPECT_EQ(all_values(*device), all_values(*other));
  }
}

TEST_F(BegunStepsTest, AGradientThatCouldOverflowIsRefusedThoughEveryDeltaIsFinite) {
  const auto device = replica({});
  CodeBatch rows = batch(2);
  // Five deltas of 1e38 fit a float each, and their loss fits a double, but their sum does not fit a float.
  for (std::size_t row = 0; row < rows.num_rows(); ++row) {
    rows.targets[row] = row < 5 ? 2.5e38f : 0;
    rows.weights[row] = row < 5 ? 1.0f : 0;
  }
  expect_gradient_refused(*device, rows.view());
}

TEST_F(BegunStepsTest, AGradientBehindTheFirstLayerThatIsNotFiniteIsRefused) {
  // In one kernel and in pieces.
  for (const std::vector<std::uint32_t>& hidden : {std::vector<std::uint32_t>{4}, {130}}) {
    const Kind kind{OptimizerKind::adagrad, hidden};
    // Activations of 1e30 give outputs of about 1, and with errors of 1e9 a gradient that does not fit a float.
    auto parameters = make_zero_parameters<float>(architecture(kind), {0, layout_->num_columns});
    parameters.first_bias.assign(hidden[0], 1e30f);
    parameters.tail[0].weights.assign(hidden[0], 1e-30f);
    const auto device = replica(kind, Network<float>(architecture(kind), parameters));
    CodeBatch rows = batch(2);
    for (float& target : rows.targets) target = 1e9f;
    expect_gradient_refused(*device, rows.view());
  }
}

TEST_F(BegunStepsTest, AnOutputOfMinusInfinityIsRefusedByEveryLoss) {
  for (const LossKind loss : {LossKind::logistic, LossKind::mse, LossKind::poisson}) {
    for (const std::vector<std::uint32_t>& hidden : {std::vector<std::uint32_t>{}, {4}, {130}}) {
      const Kind kind{OptimizerKind::adagrad, hidden};
      Architecture shape = architecture(kind);
      shape.loss = loss;
      auto parameters = make_zero_parameters<float>(shape, {0, layout_->num_columns});
      (hidden.empty() ? parameters.first_bias : parameters.tail[0].bias)
          .assign(1, -std::numeric_limits<float>::infinity());
      const auto device = replica(kind, Network<float>(shape, parameters));
      CodeBatch rows = batch(2);
      for (float& target : rows.targets) target = 0;
      try {
        device->train_step(rows.view(), "without end");
        ADD_FAILURE() << "nothing was thrown by " << to_string(loss);
      } catch (const DataError& error) {
        EXPECT_NE(std::string(error.what()).find("without end: the loss"), std::string::npos) << error.what();
      }
    }
  }
}

TEST_F(BegunStepsTest, InTwoPartsAreTheStepsOneAtATime) {
  for (const Kind& kind : kinds()) {
    const auto ahead = replica(kind, true);
    const auto plain = replica(kind, true);
    std::vector<double> losses;
    std::size_t num_begun = 0;
    for (std::uint64_t step = 0; step < 7; ++step) {
      const CodeBatch rows = step == 3 ? test::random_batch(layout_, 0, 1) : batch(step);
      plain->begin_gradient(rows.view(), 30, "a step");
      plain->begin_update();
      losses.push_back(plain->finish_step());
      ahead->begin_gradient(rows.view(), 30, "a step");
      ahead->begin_update();
      if (++num_begun <= ahead->steps_ahead()) continue;
      EXPECT_EQ(ahead->finish_step(), losses[losses.size() - num_begun]);
      --num_begun;
    }
    for (; num_begun > 0; --num_begun) EXPECT_EQ(ahead->finish_step(), losses[losses.size() - num_begun]);
    EXPECT_EQ(losses[3], 0);
    EXPECT_EQ(all_values(*ahead), all_values(*plain));
  }
}

TEST_F(BegunStepsTest, WhatAnotherReplicaRefusesIsRefusedForTheSameReason) {
  for (std::size_t which = 0; which < num_refusals; ++which) {
    const auto device = replica({}, true);
    const std::vector<float> before = all_values(*device);
    const auto begin = [&](const std::string& name) {
      device->begin_gradient(batch(1).view(), 30, name);
      if (name == "step 7") {
        device->with_tail(ValueSet::gradient, [&](DeviceSpan<float> tail) {
          const std::vector<float> three{3};
          copy_to_device<float>(three, tail.data + tail.size - num_refusals + which, tail.context->stream());
          tail.context->stream().synchronize();
        });
      }
      device->begin_update();
    };
    begin("step 7");
    begin("step 8");
    try {
      device->finish_step();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const DataError& error) {
      const std::string reason = which == 0 ? "step 7: the loss" : "step 7: the gradient";
      EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
    }
    EXPECT_EQ(all_values(*device), before);
    EXPECT_EQ(device->step(), 0u);
    begin("step 9");
    EXPECT_GT(device->finish_step(), 0);
  }
}

TEST_F(BegunStepsTest, SumsOfGradientsThatAreNotFiniteAreRefused) {
  for (const bool in_tail : {false, true}) {
    const auto device = replica({}, true);
    const std::vector<float> before = all_values(*device);
    device->begin_gradient(batch(1).view(), 30, "step 7");
    const auto spoil = [](DeviceSpan<float> values) {
      const std::vector<float> infinite{std::numeric_limits<float>::infinity()};
      copy_to_device<float>(infinite, values.data, values.context->stream());
      values.context->stream().synchronize();
    };
    if (in_tail) {
      device->with_tail(ValueSet::gradient, spoil);
    } else {
      spoil(device->first_values(ValueSet::gradient));
    }
    device->begin_update();
    EXPECT_THROW(device->finish_step(), DataError);
    EXPECT_EQ(all_values(*device), before);
  }
}

TEST_F(BegunStepsTest, AGradientThatNobodyWasToSeeIsNotThere) {
  const auto device = replica({});
  EXPECT_THROW(device->begin_gradient(batch(1).view(), 30, "a step"), ShapeError);
}

TEST_F(BegunStepsTest, AReplicaOfSomeColumnsHasNoStepOfItsOwn) {
  Architecture architecture;
  architecture.num_columns = layout_->num_columns;
  const Network<float> network(architecture);
  const ColumnRange part{0, 5};
  const Optimizer<float> optimizer(default_settings(OptimizerKind::sgd),
                                   make_zero_parameters<float>(architecture, part));
  const auto device = make_cuda_replica(0, network, optimizer, {{0, architecture.num_columns}, part});
  EXPECT_THROW(device->train_step(batch(1).view(), "a step"), ShapeError);
}

}  // namespace
}  // namespace widehash::cuda
