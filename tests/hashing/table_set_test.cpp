#include "make_table.hpp"
#include "temp_directory.hpp"

#include <widehash/damaged_files.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/table_set.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using ::testing::ElementsAre;
using testing::hashed_feature;
using ::testing::HasSubstr;
using testing::schema_of;
using ::testing::StartsWith;
using testing::TempDirectory;

Schema schema_of_some_set() {
  Feature number = hashed_feature("odd \"\n", 10);
  number.encoding = Encoding::numeric;
  Feature ignored = hashed_feature("ignored", 10);
  ignored.encoding = Encoding::ignore;
  return schema_of({hashed_feature("a", 10), number, ignored});
}

TableSet some_set(const std::string& directory, const Schema& schema) {
  TableSet set;
  set.directory = directory;
  set.schema_fingerprint = schema.fingerprint();
  set.rows = std::uint64_t{5} << 33;
  set.items.resize(3);
  set.items[0] = {
      .feature = "a", .file = "000-a.table", .num_values = 7, .file_checksum = 0xFEDCBA9876543210};
  set.items[1] = {.feature = "odd \"\n", .moments = {.count = 3, .mean = 0.1, .standard_deviation = 1e-300}};
  set.items[2] = {.feature = "ignored"};
  return set;
}

TEST(TableSet, ReadsBackWhatWasWritten) {
  const TempDirectory directory;
  const Schema schema = schema_of_some_set();
  TableSet set = some_set(directory.path(), schema);
  write_table_set(set);
  EXPECT_EQ(set.fingerprint.size(), 32u);
  const TableSet back = load_table_set(directory.path(), &schema);
  EXPECT_EQ(back.directory, directory.path());
  EXPECT_EQ(back.schema_fingerprint, set.schema_fingerprint);
  EXPECT_EQ(back.fingerprint, set.fingerprint);
  EXPECT_EQ(back.rows, set.rows);
  ASSERT_EQ(back.items.size(), set.items.size());
  for (std::size_t i = 0; i < set.items.size(); ++i) {
    EXPECT_EQ(back.items[i].feature, set.items[i].feature);
    EXPECT_EQ(back.items[i].file, set.items[i].file);
    EXPECT_EQ(back.items[i].num_values, set.items[i].num_values);
    EXPECT_EQ(back.items[i].file_checksum, set.items[i].file_checksum);
    EXPECT_EQ(back.items[i].moments.count, set.items[i].moments.count);
    EXPECT_EQ(back.items[i].moments.mean, set.items[i].moments.mean);
    EXPECT_EQ(back.items[i].moments.standard_deviation, set.items[i].moments.standard_deviation);
  }
}

TEST(TableSet, FingerprintStandsForTheContents) {
  const TempDirectory directory;
  const Schema schema = schema_of({hashed_feature("a", 10)});
  TableSet set = some_set(directory.path(), schema);
  write_table_set(set);
  const std::string before = set.fingerprint;
  write_table_set(set);
  EXPECT_EQ(set.fingerprint, before);
  set.items[0].file_checksum ^= 1;
  write_table_set(set);
  EXPECT_NE(set.fingerprint, before);
}

/// Two features with a table each.
TableSet two_tables(const std::string& directory) {
  TableBuilder builder(schema_of({hashed_feature("a", 10), hashed_feature("b", 10)}), directory,
                       TableBuilder::min_memory_bytes);
  for (const std::size_t feature : {0, 1}) builder.add(feature, "value", 1);
  return builder.finish();
}

TEST(TableSet, ASchemaOfOtherTablesBesideThemIsDamage) {
  const TempDirectory directory;
  const TableSet set = two_tables(directory.path());
  const std::string path = directory / "schema.toml";
  write_text_file(path, "# ours\n" + to_toml(schema_of({hashed_feature("a", 10), hashed_feature("b", 10)})));
  EXPECT_EQ(verify_tables(set).tables, 2U);
  for (const std::string& text :
       {to_toml(schema_of({hashed_feature("a", 10), hashed_feature("b", 11)})), std::string("a = [")}) {
    write_text_file(path, text);
    try {
      verify_tables(set);
      ADD_FAILURE() << text;
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), StartsWith(path + ":"));
    }
  }
}

TEST(TableSet, EveryDamagedTableIsListed) {
  const TempDirectory directory;
  const TableSet set = two_tables(directory.path());
  EXPECT_EQ(verify_tables(set).tables, 2U);
  const auto path = [&](std::size_t feature) { return directory / set.items[feature].file; };
  std::filesystem::remove(path(1));
  EXPECT_THROW(verify_tables(set), FileError) << "one alone is its own error";
  std::filesystem::resize_file(path(0), 100);
  try {
    verify_tables(set);
    FAIL();
  } catch (const DamagedFiles& damage) {
    EXPECT_EQ(damage.path(), path(0));
    EXPECT_THAT(damage.what(), HasSubstr("the tables have 1 other problem"));
    EXPECT_THAT(damage.problems(), ElementsAre(StartsWith(path(0) + ": "), StartsWith(path(1) + ": ")));
  }
}

TEST(TableSet, VerificationStopsWithinATable) {
  const TempDirectory directory;
  const TableSet set = two_tables(directory.path());
  std::vector<std::uint64_t> features;
  verify_tables(set, [&](const Progress& done) { features.push_back(done.bytes_done); });
  features.erase(std::unique(features.begin(), features.end()), features.end());
  EXPECT_THAT(features, ElementsAre(0, 1, 2));
  EXPECT_THROW(verify_tables(set, [](const Progress&) { throw Stopped("as asked"); }), Stopped);
  EXPECT_THROW(verify_tables(set, [](const Progress&) { throw ConfigError("of the caller"); }), ConfigError)
      << "and no damage";
}

TEST(TableSet, IsFoundInTheTablesFolderOfADataset) {
  const TempDirectory directory;
  make_directories(directory / "tables");
  TableSet set = some_set(directory / "tables", schema_of({hashed_feature("a", 10)}));
  write_table_set(set);
  EXPECT_EQ(load_table_set(directory.path()).directory, directory / "tables");
}

TEST(TableSet, AnotherSchemaIsRefusedAndTheDifferenceNamed) {
  const TempDirectory directory;
  const Schema schema = schema_of({hashed_feature("a", 10)});
  TableSet set = some_set(directory.path(), schema);
  write_table_set(set);
  const Schema other = schema_of({hashed_feature("a", 11)});
  EXPECT_THROW(load_table_set(directory.path(), &other), ConfigError);
  write_text_file(directory / "schema.toml", to_toml(schema));
  try {
    load_table_set(directory.path(), &other);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("feature 'a': cardinality 10 there, 11 here"));
  }
}

TEST(TableSet, MissingOrAlteredListsAreRefused) {
  const TempDirectory directory;
  EXPECT_THROW(load_table_set(directory / "nowhere"), FileError);
  EXPECT_THROW(load_table_set(directory.path()), DataError);
  TableSet set = some_set(directory.path(), schema_of({hashed_feature("a", 10)}));
  write_table_set(set);
  const std::string path = directory / "tables.json";
  const std::string good = read_text_file(path);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  const std::string bad_texts[] = {"",
                                   "{}",
                                   "[]",
                                   "null",
                                   std::string(300'000, '[') + std::string(300'000, ']'),
                                   good.substr(0, good.size() / 2),
                                   with("\"num_values\": 7", "\"num_values\": 8"),
                                   with("\"version\": 1", "\"version\": 2"),
                                   with("000-a.table", "../x.table"),
                                   with("fedcba9876543210", "fedcba987654321z"),
                                   with("fedcba9876543210", "FEDCBA9876543210"),
                                   with("\n  \"rows\"", "\n   \"rows\""),
                                   with("0.1", "\"x\"")};
  for (const auto& text : bad_texts) {
    write_text_file(path, text);
    EXPECT_THROW(load_table_set(directory.path()), DataError) << text.substr(0, 5000);
  }
}

TEST(TableSet, ItemsAreThoseOfTheSchema) {
  const TempDirectory directory;
  const Schema schema = schema_of_some_set();
  const TableSet good = some_set(directory.path(), schema);
  const auto expect_refused = [&](const std::function<void(TableSet&)>& change) {
    TableSet set = good;
    change(set);
    write_table_set(set);
    EXPECT_THAT([&] { load_table_set(directory.path(), &schema); },
                ::testing::ThrowsMessage<DataError>(HasSubstr("does not list the features of its schema")));
  };
  expect_refused([](TableSet& set) { set.items.clear(); });
  expect_refused([](TableSet& set) { set.items.push_back(set.items.front()); });
  expect_refused([](TableSet& set) { set.items.front().feature = "b"; });
  expect_refused([](TableSet& set) { set.items.front().file.clear(); });
  TableSet set = good;
  write_table_set(set);
  EXPECT_EQ(load_table_set(directory.path(), &schema).items.size(), 3U);
}

TEST(TableSet, AFeatureWithoutATableAndAPositionWithoutAFeatureAreNamed) {
  TableSet set;
  set.directory = "tables";
  set.items = {{.feature = "age"}};
  EXPECT_THAT([&] { open_table(set, 0); }, ::testing::ThrowsMessage<ConfigError>(
                                               ::testing::HasSubstr("feature 'age' is numeric or ignored")));
  EXPECT_THAT([&] { open_table(set, 1); },
              ::testing::ThrowsMessage<ConfigError>(::testing::HasSubstr("none at position 1")));
}

// Files that the list names are removed with the set, so each must be a table in this folder.
TEST(TableSet, FilesAreTables) {
  const TempDirectory directory;
  const TableSet good = some_set(directory.path(), schema_of_some_set());
  for (const std::string& name : {std::string("notes.txt"), std::string("../a.table"), std::string(".tables"),
                                  std::string("a.table/"), std::string("notes.txt\0.table", 16)}) {
    TableSet set = good;
    set.items.front().file = name;
    write_table_set(set);
    EXPECT_THAT([&] { load_table_set(directory.path()); },
                ::testing::ThrowsMessage<DataError>(HasSubstr("cannot be read as a list of tables")))
        << name;
  }
}

TEST(TableSet, OverflownMomentsSurvive) {
  const TempDirectory directory;
  TableSet set = some_set(directory.path(), schema_of({hashed_feature("a", 10)}));
  set.items[1].moments.standard_deviation = std::numeric_limits<double>::infinity();
  write_table_set(set);
  EXPECT_TRUE(std::isnan(load_table_set(directory.path()).items[1].moments.standard_deviation));
}

}  // namespace
}  // namespace widehash
