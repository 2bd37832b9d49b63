#include "batches.hpp"

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
std::unique_ptr<Replica<Real>> replica_of(const CodeLayout& layout, std::vector<std::uint32_t> hidden) {
  Architecture architecture;
  architecture.num_columns = layout.num_columns;
  architecture.hidden = std::move(hidden);
  architecture.active_columns = active_columns(layout);
  Network<Real> network(architecture);
  Optimizer<Real> optimizer(default_settings(OptimizerKind::adagrad), network.parameters());
  const ColumnRange all{0, layout.num_columns};
  return make_cpu_replica<Real>(std::move(network), std::move(optimizer), {all, all, true});
}

template <class Real>
std::vector<Real> all_values(Replica<Real>& replica, ValueSet set) {
  const auto first = replica.first_values(set).host();
  std::vector<Real> values(first.begin(), first.end());
  replica.with_tail(set, [&](DeviceSpan<Real> tail) {
    values.insert(values.end(), tail.host().begin(), tail.host().end());
  });
  return values;
}

TYPED_TEST(CpuReplicas, ForwardAndBackwardInOneGiveTheBitsOfThePieces) {
  const auto layout = test::mixed_layout();
  for (const std::vector<std::uint32_t>& hidden : {std::vector<std::uint32_t>{}, {5, 3}}) {
    auto pieces = replica_of<TypeParam>(*layout, hidden);
    auto whole = replica_of<TypeParam>(*layout, hidden);
    // No slice of rows, less than one, exactly two, and two with a rest; then few rows where many were before.
    for (const std::size_t rows : {0, 100, 8192, 9001, 3}) {
      const CodeBatch batch = test::random_batch(layout, rows, rows + 1);
      const double normaliser = 2 * sum_of_weights(batch.weights, rows) + 1;
      pieces->first_forward(batch.view());
      const double expected = pieces->backward(normaliser, "a step");
      const double loss = whole->forward_backward(batch.view(), normaliser, "a step");
      EXPECT_NEAR(loss, expected, 1e-12 * expected) << rows;
      EXPECT_EQ(all_values(*whole, ValueSet::gradient), all_values(*pieces, ValueSet::gradient)) << rows;
      pieces->update("a step");
      whole->update("a step");
      EXPECT_EQ(all_values(*whole, ValueSet::parameters), all_values(*pieces, ValueSet::parameters)) << rows;
    }
  }
}

}  // namespace
}  // namespace widehash
