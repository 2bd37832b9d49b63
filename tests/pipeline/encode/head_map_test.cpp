// Compares the columns of exact features with a sorted list and a plain map.
#include "encode/head_map.hpp"

#include "hashing/make_table.hpp"
#include "hashing/temp_directory.hpp"

#include <widehash/code.hpp>
#include <widehash/internal/head_values.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

/// Values of every length around those that fit a slot, many of them equal up to one byte.
std::vector<std::string> similar_values(std::size_t count) {
  std::mt19937 random(3);
  std::set<std::string> values;
  while (values.size() < count) {
    std::string value(random() % 40, 'v');
    for (int changes = 0; changes < 3 && !value.empty(); ++changes)
      value[random() % value.size()] = static_cast<char>(random() % 256);
    values.insert(value);
  }
  return {values.begin(), values.end()};
}

TEST(HeadMap, ColumnsAreThoseOfAPlainMap) {
  std::mt19937 random(4);
  const std::vector<std::string> values = similar_values(6000);
  testing::Counts counts;
  std::map<std::string, std::uint64_t> count_of;
  for (std::size_t i = 0; i < values.size(); i += 2) {  // the others are in no table
    const std::uint64_t count = random() % 10 == 0 ? 1000 + random() % 60 : 1 + random() % 5;
    counts.emplace_back(values[i], count);
    count_of[values[i]] = count;
  }
  Feature feature = testing::hashed_feature("f", 10000, Encoding::exact);
  const Schema schema = testing::schema_of({feature});
  const testing::TempDirectory directory;
  const LookupTable table = testing::make_table(directory.path(), schema, counts);
  for (const std::uint64_t most : {0, 1, 700, 2999, 3000, 5000}) {
    for (const std::uint64_t least : {1, 3, 1024, 5000}) {
      feature.max_values = most;
      feature.min_count = least;
      std::vector<std::uint64_t> expected;
      for (std::uint64_t i = 0; i < table.num_values(); ++i)
        if (table.counts()[i] >= least) expected.push_back(i);
      std::ranges::stable_sort(
          expected, [&](std::uint64_t a, std::uint64_t b) { return table.counts()[a] > table.counts()[b]; });
      if (most > 0 && expected.size() > most) expected.resize(most);
      ASSERT_EQ(head_values(table, feature), expected) << most << " " << least;

      const HeadMap map(table, feature);
      ASSERT_EQ(map.num_columns(), expected.size());
      std::map<std::string_view, std::uint32_t> columns;
      for (std::size_t column = 0; column < expected.size(); ++column)
        columns.emplace(table.entry(expected[column]).value, static_cast<std::uint32_t>(column));
      for (const std::string& value : values) {
        const auto found = columns.find(value);
        const std::optional<std::uint32_t> column = map.find(value, hash_xxh64(value));
        ASSERT_EQ(column.has_value(), found != columns.end()) << value;
        if (column) {
          ASSERT_EQ(*column, found->second) << value;
        }
      }
    }
  }
}

}  // namespace
}  // namespace widehash
