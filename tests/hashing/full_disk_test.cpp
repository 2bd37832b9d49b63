// How a count on several threads ends if runs cannot be written.
#include "base/file_limit.hpp"
#include "make_table.hpp"
#include "temp_directory.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/table_builder.hpp>

#include <cerrno>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using test::FileLimit;
using testing::hashed_feature;
using testing::schema_of;
using testing::TempDirectory;

TEST(FullDisk, ARunThatCannotBeWrittenEndsTheCountOnEveryThread) {
  constexpr std::size_t num_threads = 4;
  for (const rlim_t limit : {rlim_t{0}, rlim_t{1} << 14, rlim_t{1} << 18}) {
    const TempDirectory directory;
    TableBuilder builder(schema_of({hashed_feature("a", 10), hashed_feature("b", 10)}), directory.path(),
                         TableBuilder::min_memory_bytes);
    std::vector<int> codes(num_threads);
    {
      const FileLimit full(limit);
      std::vector<std::thread> threads;
      for (std::size_t t = 0; t < num_threads; ++t) {
        threads.emplace_back([&, t] {
          try {
            for (std::uint64_t i = 0; i < 4'000'000; ++i)
              builder.add(i % 2, fmt::format("a value of thread {} that takes memory: {}", t, i));
          } catch (const FileError& error) {
            codes[t] = error.code();
          }
        });
      }
      for (std::thread& thread : threads) thread.join();
    }
    EXPECT_EQ(codes, std::vector<int>(num_threads, EFBIG)) << limit;
    // Values were lost, so there are no tables, although there is room by now.
    EXPECT_THROW(builder.add(0, "x"), FileError);
    EXPECT_THROW(builder.finish(), FileError);
  }
}

}  // namespace
}  // namespace widehash
