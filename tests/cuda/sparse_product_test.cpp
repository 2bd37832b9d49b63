#include "sparse_product.hpp"

#include "cuda_test.hpp"
#include "on_device.hpp"

#include <widehash/csr_ops.hpp>

#include <cmath>
#include <random>
#include <vector>

#include <gmock/gmock.h>

namespace widehash::cuda {
namespace {

Csr random_csr(SparseIndex rows, SparseIndex columns, int per_row, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Csr matrix;
  matrix.num_rows = rows;
  matrix.num_columns = columns;
  for (SparseIndex row = 0; row < rows; ++row) {
    std::vector<bool> is_set(static_cast<std::size_t>(columns));
    for (int k = 0; k < per_row; ++k) is_set[random() % is_set.size()] = true;
    for (SparseIndex column = 0; column < columns; ++column) {
      if (!is_set[static_cast<std::size_t>(column)]) continue;
      matrix.columns.push_back(column);
      matrix.values.push_back(static_cast<float>(random() % 7) - 3.0f);
    }
    matrix.row_offsets.push_back(static_cast<SparseIndex>(matrix.columns.size()));
  }
  return matrix;
}

std::vector<float> random_values(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random() % 1000) / 500.0f - 1.0f;
  return values;
}

/// out += X in, or out += X^T in, entry by entry.
std::vector<float> expected_product(const Csr& x, bool is_transposed, const std::vector<float>& in,
                                    std::size_t units, std::vector<float> out) {
  for (SparseIndex row = 0; row < x.num_rows; ++row) {
    for (auto at = static_cast<std::size_t>(x.row_offsets[row]);
         at < static_cast<std::size_t>(x.row_offsets[row + 1]); ++at) {
      const auto r = static_cast<std::size_t>(row);
      const auto c = static_cast<std::size_t>(x.columns[at]);
      const auto [to, from] = is_transposed ? std::pair(c, r) : std::pair(r, c);
      for (std::size_t u = 0; u < units; ++u) out[to * units + u] += x.values[at] * in[from * units + u];
    }
  }
  return out;
}

class SparseProductTest : public CudaTest {};

TEST_F(SparseProductTest, AgreesWithPlainLoops) {
  const DeviceContext context(0);
  SparseProduct product(context);
  for (const std::size_t units : {1, 3, 32}) {
    for (const SparseIndex rows : {1, 33, 200}) {
      const Csr x = random_csr(rows, 50, 8, units);
      const DeviceCsr device_x(context, x.view());
      const auto w = random_values(50 * units, 1);
      const auto d = random_values(static_cast<std::size_t>(rows) * units, 2);
      const auto g = random_values(50 * units, 3);
      const auto device_w = on_device(context, w);
      const auto device_d = on_device(context, d);
      const auto device_g = on_device(context, g);
      const DeviceBuffer<float> y(context, d.size(), "product");
      product.multiply(device_x.view(), device_w.data(), units, y.data());
      product.add_transposed(device_x.view(), device_d.data(), units, device_g.data());
      EXPECT_THAT(on_host(context, y),
                  ::testing::Pointwise(::testing::FloatNear(1e-4f),
                                       expected_product(x, false, w, units, std::vector<float>(d.size()))));
      EXPECT_THAT(on_host(context, device_g),
                  ::testing::Pointwise(::testing::FloatNear(1e-4f), expected_product(x, true, d, units, g)));
    }
  }
}

TEST_F(SparseProductTest, WideMatricesGoInSlices) {
  const DeviceContext context(0);
  SparseProduct product(context, 8);
  constexpr std::size_t units = 20;
  const Csr x = random_csr(10, 12, 3, 1);
  const DeviceCsr device_x(context, x.view());
  const auto w = random_values(12 * units, 1);
  const auto device_w = on_device(context, w);
  const DeviceBuffer<float> y(context, 10 * units, "product");
  product.multiply(device_x.view(), device_w.data(), units, y.data());
  EXPECT_THAT(on_host(context, y),
              ::testing::Pointwise(::testing::FloatNear(1e-4f),
                                   expected_product(x, false, w, units, std::vector<float>(10 * units))));
}

TEST_F(SparseProductTest, MoreUnitsThanCuSparseTakesAtOnceAreNotZeros) {
  const DeviceContext context(0);
  SparseProduct product(context);
  constexpr std::size_t units = 65535 * 16 + 5;
  Csr x;
  x.num_rows = 1;
  x.num_columns = 2;
  x.row_offsets = {0, 2};
  x.columns = {0, 1};
  x.values = {1.0f, 2.0f};
  const DeviceCsr device_x(context, x.view());
  const auto device_w = on_device(context, std::vector<float>(2 * units, 1.0f));
  const DeviceBuffer<float> y(context, units, "product");
  product.multiply(device_x.view(), device_w.data(), units, y.data());
  EXPECT_THAT(on_host(context, y), ::testing::Each(3.0f));
}

TEST_F(SparseProductTest, MatrixWithoutEntriesGivesZerosAndAddsNothing) {
  const DeviceContext context(0);
  SparseProduct product(context);
  Csr x;
  x.num_rows = 3;
  x.num_columns = 4;
  x.row_offsets = {0, 0, 0, 0};
  const DeviceCsr device_x(context, x.view());
  const auto device_w = on_device(context, random_values(8, 1));
  const auto y = on_device(context, std::vector<float>(6, 5.0f));
  product.multiply(device_x.view(), device_w.data(), 2, y.data());
  EXPECT_THAT(on_host(context, y), ::testing::Each(0.0f));
  // Nothing is added to the existing values.
  const auto device_d = on_device(context, random_values(6, 2));
  const auto g = on_device(context, std::vector<float>(8, 5.0f));
  product.add_transposed(device_x.view(), device_d.data(), 2, g.data());
  EXPECT_THAT(on_host(context, g), ::testing::Each(5.0f));
}

}  // namespace
}  // namespace widehash::cuda
