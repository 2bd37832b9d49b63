#include "make_table.hpp"
#include "temp_directory.hpp"

#include <widehash/cross.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/table_builder.hpp>
#include <widehash/table_changes.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using testing::Counts;
using testing::hashed_feature;
using testing::schema_of;
using testing::TempDirectory;

/// The tables of one feature with these values, with the schema beside them.
TableSet tables_of(const std::string& directory, const Schema& schema, const Counts& values) {
  TableBuilder builder(schema, directory, TableBuilder::min_memory_bytes);
  for (const auto& [value, count] : values) builder.add(0, value, count);
  TableSet set = builder.finish();
  for (const auto& [value, count] : values) set.rows += count;
  write_table_set(set);
  write_text_file(directory + "/schema.toml", to_toml(schema));
  return load_table_set(directory);
}

struct Difference {
  TempDirectory before;
  TempDirectory now;

  FeatureChange of(const Schema& schema, const Counts& then, const Counts& later,
                   std::size_t most = 3) const {
    return table_changes(tables_of(before.path(), schema, then), tables_of(now.path(), schema, later), most)
        .at(0);
  }
};

std::vector<std::string> names_of(const std::vector<ValueChange>& values) {
  std::vector<std::string> names;
  for (const ValueChange& one : values) names.push_back(one.value);
  return names;
}

TEST(TableChanges, AreSharesOfWhatWasCounted) {
  const Schema schema = schema_of({hashed_feature("f", 100)});
  const FeatureChange change =
      Difference().of(schema, {{"a", 6}, {"b", 2}, {"", 2}}, {{"a", 1}, {"c", 2}, {"d", 1}, {"", 1}});
  EXPECT_EQ(change.feature, "f");
  EXPECT_FALSE(change.is_numeric);
  EXPECT_EQ(change.values_before, 3u);
  EXPECT_EQ(change.values_now, 4u);
  EXPECT_EQ(change.count_before, 10u);
  EXPECT_EQ(change.count_now, 5u);
  EXPECT_EQ(change.unseen_values, 2u);
  EXPECT_DOUBLE_EQ(change.unseen_share, 0.6);
  EXPECT_EQ(change.gone_values, 1u);
  EXPECT_DOUBLE_EQ(change.gone_share, 0.2);
  EXPECT_DOUBLE_EQ(change.distance, (0.4 + 0.2 + 0 + 0.4 + 0.2) / 2);
  EXPECT_DOUBLE_EQ(change.missing_share_before.value(), 0.2);
  EXPECT_DOUBLE_EQ(change.missing_share_now.value(), 0.2);
  EXPECT_THAT(names_of(change.unseen), ::testing::ElementsAre("c", "d"));
  EXPECT_EQ(change.unseen[0].count_before, 0u);
  EXPECT_EQ(change.unseen[0].count_now, 2u);
  ASSERT_EQ(change.most_changed.size(), 3u);
  EXPECT_THAT(names_of({change.most_changed.begin(), change.most_changed.begin() + 2}),
              ::testing::UnorderedElementsAre("a", "c"));
}

TEST(TableChanges, OfTheSameTablesAreNone) {
  const FeatureChange change = Difference().of(
      schema_of({hashed_feature("f", 100)}), testing::numbered_values(5000), testing::numbered_values(5000));
  EXPECT_EQ(change.distance, 0);
  EXPECT_EQ(change.unseen_values + change.gone_values, 0u);
  EXPECT_TRUE(change.unseen.empty() && change.most_changed.empty());
}

TEST(TableChanges, OfEmptyTablesAreDefined) {
  const Schema schema = schema_of({hashed_feature("f", 100)});
  const FeatureChange none = Difference().of(schema, {}, {});
  EXPECT_EQ(none.distance, 0);
  const FeatureChange first = Difference().of(schema, {}, {{"a", 3}});
  EXPECT_EQ(first.unseen_share, 1);
  EXPECT_EQ(first.distance, 1);
  const FeatureChange last = Difference().of(schema, {{"a", 3}}, {});
  EXPECT_EQ(last.gone_share, 1);
  EXPECT_EQ(last.distance, 1);
  EXPECT_EQ(last.unseen_share, 0);
}

TEST(TableChanges, AreThoseOfAPlainReading) {
  std::mt19937_64 random(4);
  for (const HashKind kind : {HashKind::xxh64, HashKind::xxh3_128}) {
    for (int round = 0; round < 20; ++round) {
      const auto table = [&] {
        std::map<std::string, std::uint64_t> counts;
        const std::size_t values = 1 + random() % 400;
        for (std::size_t i = 0; i < values; ++i)
          counts[random() % 20 == 0 ? std::string() : "v" + std::to_string(random() % 300)] +=
              1 + random() % 9;
        return counts;
      };
      const auto then = table();
      const auto later = table();
      const FeatureChange change =
          Difference().of(schema_of({hashed_feature("f", 50)}, kind), {then.begin(), then.end()},
                          {later.begin(), later.end()}, 1000);
      double all_then = 0;
      double all_later = 0;
      for (const auto& [value, count] : then) all_then += static_cast<double>(count);
      for (const auto& [value, count] : later) all_later += static_cast<double>(count);
      std::map<std::string, std::pair<double, double>> shares;
      for (const auto& [value, count] : then) shares[value].first = static_cast<double>(count) / all_then;
      for (const auto& [value, count] : later) shares[value].second = static_cast<double>(count) / all_later;
      double unseen = 0;
      double gone = 0;
      double distance = 0;
      for (const auto& [value, share] : shares) {
        if (!then.contains(value)) unseen += share.second;
        if (!later.contains(value)) gone += share.first;
        distance += std::abs(share.second - share.first) / 2;
      }
      EXPECT_NEAR(change.unseen_share, unseen, 1e-12);
      EXPECT_NEAR(change.gone_share, gone, 1e-12);
      EXPECT_NEAR(change.distance, distance, 1e-12);
      EXPECT_EQ(change.unseen.size(), change.unseen_values);
      for (std::size_t i = 1; i < change.unseen.size(); ++i)
        EXPECT_GE(change.unseen[i - 1].count_now, change.unseen[i].count_now);
      for (const ValueChange& one : change.most_changed) {
        EXPECT_EQ(one.count_before, then.contains(one.value) ? then.at(one.value) : 0);
        EXPECT_EQ(one.count_now, later.contains(one.value) ? later.at(one.value) : 0);
      }
    }
  }
}

TEST(TableChanges, ShowCrossesAsPeopleReadThem) {
  Feature cross = hashed_feature("a x b", 100);
  cross.fields = {"a", "b"};
  const std::vector<std::string_view> parts{"x", "y"};
  const FeatureChange change = Difference().of(schema_of({cross}), {}, {{cross_value(parts), 2}});
  EXPECT_THAT(names_of(change.unseen), ::testing::ElementsAre("x × y"));
}

TEST(TableChanges, OfNumbersAreThoseOfTheirMeans) {
  TableSet before;
  before.items.push_back({.feature = "n", .moments = {10, 2, 0.5}});
  before.items.push_back({.feature = "even", .moments = {10, 2, 0}});
  before.items.push_back({.feature = "ignored"});
  TableSet now = before;
  before.rows = 10;
  now.rows = 40;
  now.items[0].moments = {20, 3, 0.25};
  auto changes = table_changes(before, now, 3);
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_TRUE(changes[0].is_numeric);
  EXPECT_DOUBLE_EQ(changes[0].mean_shift().value(), 2);
  EXPECT_EQ(changes[0].missing_share_before, 0);
  EXPECT_EQ(changes[0].missing_share_now, 0.5);
  EXPECT_EQ(changes[1].mean_shift(), 0);
  // There is no shift if the numbers are gone, or if they were all equal and now have another value.
  now.items[0].moments = {};
  now.items[1].moments = {40, 900, 0};
  changes = table_changes(before, now, 3);
  EXPECT_EQ(changes[0].mean_shift(), std::nullopt);
  EXPECT_EQ(changes[0].missing_share_now, 1);
  EXPECT_EQ(changes[1].mean_shift(), std::nullopt);
}

TEST(TableChanges, RowsWhoseMissingValueIsSkippedAreMissing) {
  Schema schema = schema_of({hashed_feature("f", 100)});
  schema.features[0].missing = Missing::skip;
  const TempDirectory there;
  const TempDirectory here;
  const auto changed = [&] {
    TableSet before = tables_of(there.path(), schema, {{"a", 2}});
    TableSet now = tables_of(here.path(), schema, {{"a", 1}});
    now.rows = 4;
    return table_changes(before, now, 3).at(0);
  };
  EXPECT_EQ(changed().missing_share_before, 0);
  EXPECT_EQ(changed().missing_share_now, 0.75);
  schema.features[0].separator = "|";  // a row then has any number of values
  EXPECT_EQ(changed().missing_share_before, std::nullopt);
  EXPECT_EQ(changed().missing_share_now, std::nullopt);
}

TEST(TableChanges, MissingItemsOfListsAreAShareOfTheirValues) {
  Schema schema = schema_of({hashed_feature("f", 100)});
  schema.features[0].separator = "|";
  const TempDirectory there;
  const TempDirectory here;
  TableSet before = tables_of(there.path(), schema, {{"a", 4}, {"b", 4}});
  TableSet now = tables_of(here.path(), schema, {{"a", 1}, {"b", 1}, {"", 6}});
  before.rows = now.rows = 4;
  const FeatureChange change = table_changes(before, now, 3).at(0);
  EXPECT_EQ(change.missing_share_before, 0);
  EXPECT_EQ(change.missing_share_now, 0.75) << "an empty item is one too, so rows may have several";
}

TEST(TableChanges, OfOtherSchemasAreRefused) {
  const TempDirectory there;
  const TempDirectory here;
  const TableSet before = tables_of(there.path(), schema_of({hashed_feature("f", 100)}), {{"a", 1}});
  const TableSet now = tables_of(here.path(), schema_of({hashed_feature("f", 200)}), {{"a", 1}});
  try {
    table_changes(before, now, 3);
    ADD_FAILURE() << "they were compared";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("cardinality 100 there, 200 here"));
  }
}

TEST(TableChanges, OfListsThatDoNotMatchAreRefused) {
  const TempDirectory there;
  const TempDirectory here;
  const Schema schema = schema_of({hashed_feature("f", 100)});
  const TableSet before = tables_of(there.path(), schema, {{"a", 1}});
  const TableSet good = tables_of(here.path(), schema, {{"a", 1}});
  for (const auto change :
       {+[](TableSet& set) { set.items.clear(); }, +[](TableSet& set) { set.items[0].file.clear(); },
        +[](TableSet& set) { set.items[0].feature = "g"; },
        +[](TableSet& set) { set.items.push_back(set.items[0]); }}) {
    TableSet now = good;
    change(now);
    EXPECT_THAT([&] { table_changes(before, now, 3); },
                ::testing::ThrowsMessage<DataError>(::testing::HasSubstr("lists other tables than")));
    EXPECT_THROW(table_changes(now, before, 3), DataError);
  }
}

}  // namespace
}  // namespace widehash
