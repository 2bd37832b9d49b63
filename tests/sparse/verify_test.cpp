#include "base/damage.hpp"
#include "base/temp_folder.hpp"
#include "sparse/sample.hpp"

#include <widehash/damaged_files.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/table_builder.hpp>
#include <widehash/threads.hpp>

#include <filesystem>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using test::message_of;
using test::Sample;
using test::TempFolder;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::uint64_t table_memory_bytes = 16 << 20;

class VerifyTest : public testing::Test {
 protected:
  VerifyTest() {
    sample_ = test::every_kind_sample(100, 1);
    manifest_ =
        test::write_dataset(schema_, test::every_kind_heads(), sample_.batch.view(), 33, folder_.path());
  }

  void flip(const std::string& name, std::size_t at) {
    std::string bytes = read_text_file(folder_.file(name));
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    test::overwrite(folder_.file(name), bytes);
  }

  TempFolder folder_;
  Schema schema_ = test::every_kind_schema();
  Sample sample_;
  Manifest manifest_;
};

TEST_F(VerifyTest, WholeDatasetIsCountedUp) {
  const VerifyReport report = verify_dataset(folder_.path());
  EXPECT_EQ(report.shards, 4u);
  EXPECT_EQ(report.rows, 100u);
  EXPECT_EQ(report.rejected_rows, 2u);
  std::uint64_t bytes = 0;
  for (const ManifestShard& shard : manifest_.shards) bytes += file_size_bytes(folder_.file(shard.file));
  EXPECT_EQ(report.bytes, bytes);
}

TEST_F(VerifyTest, FirstDamagedShardIsNamedWhateverTheTiming) {
  flip("part-3.shard", 64);
  flip("part-1.shard", 64);
  for (const std::size_t threads : {1, 4}) {
    with_threads(threads, [&] {
      EXPECT_THAT(message_of<DataError>([&] { verify_dataset(folder_.path()); }),
                  AllOf(HasSubstr("part-1.shard"), HasSubstr("1 other problem")));
    });
  }
}

TEST_F(VerifyTest, EveryDamagedFileIsListedInOrder) {
  std::filesystem::remove(folder_.file("part-0.shard"));
  flip("part-2.shard", 64);
  test::overwrite(folder_.file("part-9.shard"), "left over");
  for (const std::size_t threads : {1, 4}) {
    with_threads(threads, [&] {
      try {
        verify_dataset(folder_.path());
        FAIL();
      } catch (const DamagedFiles& damage) {
        EXPECT_EQ(damage.path(), folder_.file("part-0.shard"));
        EXPECT_THAT(damage.what(), HasSubstr("2 other problems"));
        EXPECT_THAT(damage.problems(), ElementsAre(StartsWith(folder_.file("part-0.shard: ")),
                                                   StartsWith(folder_.file("part-2.shard: ")),
                                                   StartsWith(folder_.file("part-9.shard: "))));
      }
    });
  }
}

// Verification reports what is wrong with the data, so a shard of another schema is damage here. Training on
// both would be a wrong request instead.
TEST_F(VerifyTest, AShardOfAnotherSchemaIsDamage) {
  const ManifestShard& shard = manifest_.shards[1];
  const std::string other = folder_.file("other");
  make_directories(other);
  const CodeLayout another = test::layout_of(*sample_.layout, {"another", ""});
  write_shard(test::as_of(sample_.batch.view().rows(0, 33), another), other, shard.file);
  std::filesystem::rename(other + "/" + shard.file, folder_.file(shard.file));
  std::filesystem::remove(other);
  EXPECT_THAT(message_of<DataError>([&] { verify_dataset(folder_.path()); }),
              AllOf(StartsWith(folder_.file(shard.file) + ": encoded with a different schema"),
                    Not(HasSubstr("other problem"))));
}

TEST_F(VerifyTest, MissingShardIsAnError) {
  std::filesystem::remove(folder_.file("part-2.shard"));
  EXPECT_THAT(message_of<Error>([&] { verify_dataset(folder_.path()); }), HasSubstr("part-2.shard"));
}

TEST_F(VerifyTest, StrayShardIsNamed) {
  test::overwrite(folder_.file("part-9.shard"), "left over");
  test::overwrite(folder_.file("part-9.shard.tmp"), "of a killed run: harmless");
  const std::string message = message_of<DataError>([&] { verify_dataset(folder_.path()); });
  EXPECT_THAT(message, HasSubstr("part-9.shard: the manifest does not name this shard (1 such"));
  std::filesystem::remove(folder_.file("part-9.shard"));
  EXPECT_NO_THROW(verify_dataset(folder_.path()));
}

TEST_F(VerifyTest, ProgressEndsAtTheTotal) {
  Progress last;
  const VerifyReport report =
      verify_dataset(folder_.path(), [&](const Progress& progress) { last = progress; });
  EXPECT_EQ(last.rows, report.rows);
  EXPECT_EQ(last.bytes_done, report.bytes);
  EXPECT_EQ(last.bytes_total, report.bytes);
}

TEST_F(VerifyTest, ProgressMayStopTheWork) {
  EXPECT_THROW(verify_dataset(folder_.path(), [](const Progress&) { throw std::runtime_error("enough"); }),
               std::runtime_error);
}

TEST_F(VerifyTest, TablesBesideTheShardsAreReadToo) {
  make_directories(folder_.file("tables"));
  TableBuilder builder(schema_, folder_.file("tables"), table_memory_bytes);
  for (int i = 0; i < 100; ++i) builder.add(0, "user-" + std::to_string(i));
  builder.add_rows(100);
  const TableSet set = builder.finish();
  EXPECT_NO_THROW(verify_dataset(folder_.path()));
  ASSERT_FALSE(set.items[0].file.empty());
  flip("tables/" + set.items[0].file, 64);
  EXPECT_THAT(message_of<DataError>([&] { verify_dataset(folder_.path()); }), HasSubstr(set.items[0].file));
}

TEST_F(VerifyTest, TablesOfAnotherEncodingAreNoticed) {
  make_directories(folder_.file("tables"));
  TableBuilder builder(schema_, folder_.file("tables"), table_memory_bytes);
  builder.add_rows(1);
  builder.finish();
  manifest_.tables_fingerprint = "0123";
  manifest_.shards.clear();
  for (int i = 0; i < 4; ++i) std::filesystem::remove(folder_.file("part-" + std::to_string(i) + ".shard"));
  manifest_.rows = 0;
  manifest_.inputs[0].rows = 2;
  write_manifest(manifest_, folder_.path());
  EXPECT_THAT(message_of<DataError>([&] { verify_dataset(folder_.path()); }), HasSubstr("not the tables"));
}

}  // namespace
}  // namespace widehash
