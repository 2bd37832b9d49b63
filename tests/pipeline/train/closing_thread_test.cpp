#include "train/closing_thread.hpp"

#include <memory>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

namespace widehash {
namespace {

/// Records the thread that destroys it.
struct Witness {
  explicit Witness(std::vector<std::thread::id>& list) : where(list) {}
  ~Witness() { where.push_back(std::this_thread::get_id()); }
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;
  std::vector<std::thread::id>& where;
};

TEST(ClosingThread, DestroysElsewhereAndAllBeforeItEnds) {
  std::vector<std::thread::id> where;
  {
    ClosingThread closer;
    for (int i = 0; i < 50; ++i) closer.close(std::make_shared<Witness>(where));
  }
  ASSERT_EQ(where.size(), 50u);
  EXPECT_THAT(where, testing::Each(testing::Ne(std::this_thread::get_id())));
}

TEST(ClosingThread, ThatNobodyAskedForEnds) { const ClosingThread closer; }

}  // namespace
}  // namespace widehash
