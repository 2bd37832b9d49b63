#include "table_pass.hpp"

#include "make_table.hpp"
#include "temp_directory.hpp"

#include <widehash/audit.hpp>
#include <widehash/damaged_files.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/table_changes.hpp>
#include <widehash/threads.hpp>

#include <atomic>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using detail::TablePass;
using ::testing::ElementsAre;
using testing::hashed_feature;
using testing::schema_of;
using ::testing::StartsWith;
using testing::TempDirectory;

TEST(TablePass, OneThreadTakesTheLargestFirst) {
  std::vector<std::size_t> order;
  std::vector<Progress> reports;
  const ProgressCallback callback = [&](const Progress& done) { reports.push_back(done); };
  TablePass pass(callback, 5, 3);
  pass.run({{0, 10}, {2, 30}, {4, 20}}, 1, [&](std::size_t feature) {
    pass.pulse()();
    order.push_back(feature);
  });
  EXPECT_THAT(order, ElementsAre(2, 4, 0));
  ASSERT_EQ(reports.size(), 6U);
  EXPECT_EQ(reports.front().bytes_done, 2U) << "features without a table";
  EXPECT_EQ(reports.front().rows, 0U);
  EXPECT_EQ(reports.back().bytes_done, 5U);
  EXPECT_EQ(reports.back().bytes_total, 5U);
  EXPECT_EQ(reports.back().rows, 60U);
}

TEST(TablePass, ThreadsTakeEveryTableOnce) {
  std::vector<TablePass::Table> tables;
  for (std::size_t i = 0; i < 100; ++i) tables.push_back({i, i % 7});
  std::vector<std::atomic<int>> taken(tables.size());
  std::uint64_t last = 0;
  const ProgressCallback callback = [&](const Progress& done) {
    EXPECT_GE(done.bytes_done, last);
    last = done.bytes_done;
  };
  TablePass pass(callback, tables.size(), tables.size());
  with_threads(4, [&] { pass.run(tables, 4, [&](std::size_t feature) { ++taken[feature]; }); });
  for (const std::atomic<int>& times : taken) EXPECT_EQ(times, 1);
  EXPECT_EQ(last, tables.size());
}

TEST(TablePass, AnExceptionOfTheCallbackEndsTheWorkOfAllThreads) {
  std::atomic<int> calls = 0;
  const ProgressCallback callback = [&](const Progress&) {
    if (++calls == 50) throw Stopped("as asked");
  };
  TablePass pass(callback, 8, 8);
  EXPECT_NO_THROW(pass.rethrow_of_callback());
  std::vector<TablePass::Table> tables;
  for (std::size_t i = 0; i < 8; ++i) tables.push_back({i, 1});
  EXPECT_THROW(with_threads(4,
                            [&] {
                              // Without end, but for the exception.
                              pass.run(tables, 4, [&](std::size_t) {
                                while (true) pass.pulse()();
                              });
                            }),
               Stopped);
  EXPECT_EQ(calls, 50) << "nothing is reported after the exception";
  EXPECT_THROW(pass.rethrow_of_callback(), Stopped);
}

TEST(TablePass, AnExceptionOfTheWorkIsRethrownAndIsNotTheCallbacks) {
  std::atomic<int> begun = 0;
  TablePass pass({}, 1000, 1000);
  std::vector<TablePass::Table> tables;
  for (std::size_t i = 0; i < 1000; ++i) tables.push_back({i, 1});
  EXPECT_THROW(pass.run(tables, 1,
                        [&](std::size_t) {
                          if (++begun == 3) throw DataError("a.table", 0, "damaged");
                        }),
               DataError);
  EXPECT_EQ(begun, 3);
  EXPECT_NO_THROW(pass.rethrow_of_callback());
}

/// Tables of several features, of which feature i has 1000 (i + 1) values, counted `more` times more.
TableSet some_tables(const TempDirectory& directory, std::uint64_t more) {
  std::vector<Feature> features;
  for (std::size_t i = 0; i < 6; ++i) features.push_back(hashed_feature("f" + std::to_string(i), 200));
  const Schema schema = schema_of(features);
  TableBuilder builder(schema, directory.path(), TableBuilder::min_memory_bytes);
  for (std::size_t i = 0; i < features.size(); ++i) {
    for (std::size_t value = more; value < 1000 * (i + 1) + more; ++value)
      builder.add(i, std::to_string(value), 1 + value % (5 + more));
  }
  TableSet set = builder.finish();
  write_table_set(set);
  write_text_file(directory / "schema.toml", to_toml(schema));
  return load_table_set(directory.path());
}

TEST(TablePass, AuditsAreTheSameByAnyNumberOfThreadsAndMemory) {
  const TempDirectory directory;
  const TableSet set = some_tables(directory, 0);
  // At 256 KiB and four threads, the smallest table alone fits in a thread's part.
  for (const std::uint64_t memory :
       {std::uint64_t{64} << 10, std::uint64_t{256} << 10, std::uint64_t{1} << 30}) {
    for (const std::size_t threads : {1, 2, 4}) {
      std::vector<FeatureAudit> audits;
      with_threads(threads, [&] { audits = audit_tables(set, memory); });
      ASSERT_EQ(audits.size(), set.items.size());
      for (std::size_t i = 0; i < audits.size(); ++i) {
        const FeatureAudit alone = audit_table(open_table(set, i), std::uint64_t{1} << 30);
        EXPECT_EQ(audits[i].feature, alone.feature);
        EXPECT_GT(audits[i].code_pairs, 0U);
        EXPECT_EQ(audits[i].code_pairs, alone.code_pairs);
        EXPECT_EQ(audits[i].colliding_values, alone.colliding_values);
        EXPECT_EQ(audits[i].examples, alone.examples);
        for (std::size_t k = 0; k < num_splits; ++k) {
          EXPECT_EQ(audits[i].splits[k].chi_square, alone.splits[k].chi_square);
          EXPECT_EQ(audits[i].splits[k].sharing_pairs, alone.splits[k].sharing_pairs);
        }
      }
    }
  }
}

TEST(TablePass, ChangesAreTheSameByAnyNumberOfThreads) {
  const TempDirectory one, two;
  const TableSet before = some_tables(one, 0);
  const TableSet now = some_tables(two, 3);
  std::vector<FeatureChange> alone;
  with_threads(1, [&] { alone = table_changes(before, now, 4); });
  ASSERT_EQ(alone.size(), 6U);
  for (const std::size_t threads : {2, 5}) {
    std::vector<FeatureChange> changes;
    with_threads(threads, [&] { changes = table_changes(before, now, 4); });
    ASSERT_EQ(changes.size(), alone.size());
    for (std::size_t i = 0; i < changes.size(); ++i) {
      EXPECT_EQ(changes[i].feature, "f" + std::to_string(i));
      EXPECT_EQ(changes[i].unseen_values, 3U);
      EXPECT_EQ(changes[i].distance, alone[i].distance);
      ASSERT_EQ(changes[i].most_changed.size(), 4U);
      for (std::size_t k = 0; k < 4; ++k)
        EXPECT_EQ(changes[i].most_changed[k].value, alone[i].most_changed[k].value);
    }
  }
}

TEST(TablePass, DamageIsListedInTheOrderOfTheSchema) {
  const TempDirectory directory;
  const TableSet set = some_tables(directory, 0);
  with_threads(4, [&] {
    EXPECT_EQ(verify_tables(set).values, 21000U);
    for (const std::size_t i : {1, 3, 5}) std::filesystem::resize_file(directory / set.items[i].file, 100);
    try {
      verify_tables(set);
      FAIL();
    } catch (const DamagedFiles& damage) {
      EXPECT_THAT(damage.problems(), ElementsAre(StartsWith(directory / set.items[1].file),
                                                 StartsWith(directory / set.items[3].file),
                                                 StartsWith(directory / set.items[5].file)));
    }
  });
}

}  // namespace
}  // namespace widehash
