// Which buffer a batch is staged in.

#include "cuda/staging_pool.hpp"

#include "cuda_test.hpp"
#include "network/batches.hpp"

#include <memory>
#include <vector>

namespace widehash::cuda {
namespace {

class StagingPoolTest : public CudaTest {
 protected:
  CodeBatch batch_ = test::random_batch(test::plain_layout(2, 50), 40, 1);
};

TEST_F(StagingPoolTest, ABufferRestsUntilOthersHaveComeBack) {
  const DeviceContext context(0);
  StagingPool pool(context, 3);
  std::vector<const StagedRows*> used;
  used.reserve(12);
  for (int step = 0; step < 12; ++step) used.push_back(&pool.stage(batch_.view())->rows());
  for (std::size_t step = 4; step < used.size(); ++step) EXPECT_EQ(used[step], used[step - 4]);
  for (std::size_t step = 1; step < 4; ++step) EXPECT_NE(used[step], used[0]);
}

TEST_F(StagingPoolTest, BuffersThatAreHeldAreNotTaken) {
  const DeviceContext context(0);
  StagingPool pool(context, 0);
  const auto first = pool.stage(batch_.view());
  const auto second = pool.stage(batch_.view());
  EXPECT_NE(&first->rows(), &second->rows());
  const StagedRows* const third = &pool.stage(batch_.view())->rows();
  EXPECT_EQ(&pool.stage(batch_.view())->rows(), third);
}

}  // namespace
}  // namespace widehash::cuda
