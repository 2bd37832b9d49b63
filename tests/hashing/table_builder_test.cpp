#include "make_table.hpp"
#include "temp_directory.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/table_builder.hpp>
#include <widehash/threads.hpp>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace widehash {
namespace {

using testing::hashed_feature;
using testing::schema_of;
using testing::TempDirectory;

constexpr std::uint64_t least = TableBuilder::min_memory_bytes;

TEST(TableBuilder, RefusesTooLittleMemory) {
  const TempDirectory directory;
  EXPECT_THROW(TableBuilder(schema_of({hashed_feature("a", 10)}), directory.path(), least - 1), ConfigError);
}

TEST(TableBuilder, RefusesFeaturesWithoutATable) {
  const TempDirectory directory;
  TableBuilder builder(schema_of({hashed_feature("a", 10), hashed_feature("n", 0, Encoding::numeric),
                                  hashed_feature("i", 0, Encoding::ignore)}),
                       directory.path(), least);
  EXPECT_THROW(builder.add(1, "x"), ConfigError);
  EXPECT_THROW(builder.add(2, "x"), ConfigError);
  EXPECT_THROW(builder.add(3, "x"), ConfigError);
  EXPECT_THROW(builder.add_moments(0, {}), ConfigError);
  EXPECT_THROW(builder.add_moments(3, {}), ConfigError);
}

TEST(TableBuilder, WritesAListAndATableForEachHashedFeature) {
  const TempDirectory directory;
  const Schema schema =
      schema_of({hashed_feature("a/b c", 10), hashed_feature("n", 0, Encoding::numeric),
                 hashed_feature("i", 0, Encoding::ignore), hashed_feature("x", 10, Encoding::exact),
                 hashed_feature("o", 10, Encoding::one_hot)});
  TableBuilder builder(schema, directory.path(), least);
  builder.add_rows(3);
  builder.add_rows(4);
  builder.add(0, "v");
  builder.add(0, "v", 5);
  builder.add(3, "never", 0);
  const TableSet set = builder.finish();
  EXPECT_EQ(directory.files(),
            (std::set<std::string>{"000-a_b_c.table", "003-x.table", "004-o.table", "tables.json"}));
  EXPECT_EQ(set.rows, 7u);
  ASSERT_EQ(set.items.size(), 5u);
  EXPECT_EQ(set.items[0].file, "000-a_b_c.table");
  EXPECT_EQ(set.items[0].num_values, 1u);
  EXPECT_EQ(set.items[1].file, "");
  EXPECT_EQ(set.items[3].num_values, 0u);
  const LookupTable table(directory / set.items[0].file);
  EXPECT_EQ(table.total_count(), 6u);
  EXPECT_EQ(table.file().footer_checksum(), set.items[0].file_checksum);
  EXPECT_EQ(load_table_set(directory.path(), &schema).fingerprint, set.fingerprint);
  EXPECT_THROW(builder.finish(), ConfigError);
}

TEST(TableBuilder, MomentsAreThoseOfTheFiniteNumbers) {
  const TempDirectory directory;
  TableBuilder builder(schema_of({hashed_feature("n", 0, Encoding::numeric)}), directory.path(), least);
  // A large mean with a small spread: a sum of squares would have lost the spread.
  for (const std::vector<double>& group :
       {std::vector<double>{1e9 + 4, 1e9 + 7, std::nan("")}, {}, {1e9 + 13, INFINITY}, {1e9 + 16}}) {
    RunningMoments numbers;
    for (const double x : group) numbers.add(x);
    builder.add_moments(0, numbers);
  }
  const NumericMoments moments = builder.finish().items[0].moments;
  EXPECT_EQ(moments.count, 4u);
  EXPECT_DOUBLE_EQ(moments.mean, 1e9 + 10);
  EXPECT_NEAR(moments.standard_deviation, std::sqrt(22.5), 1e-6);
}

TEST(TableBuilder, NoNumbersGiveNoMoments) {
  const TempDirectory directory;
  TableBuilder builder(schema_of({hashed_feature("n", 0, Encoding::numeric)}), directory.path(), least);
  const NumericMoments moments = builder.finish().items[0].moments;
  EXPECT_EQ(moments.count, 0u);
  EXPECT_EQ(moments.standard_deviation, 0);
}

TEST(TableBuilder, CountsBeyond32BitsAddUp) {
  const TempDirectory directory;
  const auto table = testing::make_table(directory.path(), schema_of({hashed_feature("a", 10)}),
                                         {{"a", std::uint64_t{3} << 32}, {"a", std::uint64_t{5} << 32}});
  EXPECT_EQ(table.entry(0).count, std::uint64_t{8} << 32);
}

/// Counts the same stream with every given budget and with std::map.
class Stream {
 public:
  Stream(HashKind kind, std::size_t num_adds, std::size_t num_distinct, std::size_t longest)
      : schema_(
            schema_of({hashed_feature("a", 1000), hashed_feature("b", 5), hashed_feature("c", 100)}, kind)),
        num_adds_(num_adds),
        num_distinct_(num_distinct),
        longest_(longest) {}

  const Schema& schema() const { return schema_; }

  template <class Add>
  void for_each(const Add& add) const {
    std::mt19937_64 random(6);
    std::string value;
    for (std::size_t i = 0; i < num_adds_; ++i) {
      // The length is derived from the number, so that equal numbers give equal values.
      const std::uint64_t number = random() % num_distinct_;
      value.assign(number % longest_, static_cast<char>('a' + number % 26));
      value += std::to_string(number);
      add(random() % 4 == 0 ? 1 : 0, value, 1 + number % 3);
    }
  }

  std::map<std::string, std::uint64_t> expected(std::size_t feature) const {
    std::map<std::string, std::uint64_t> counts;
    for_each([&](std::size_t f, const std::string& value, std::uint64_t count) {
      if (f == feature) counts[value] += count;
    });
    return counts;
  }

 private:
  Schema schema_;
  std::size_t num_adds_;
  std::size_t num_distinct_;
  std::size_t longest_;
};

void expect_table(const LookupTable& table, const std::map<std::string, std::uint64_t>& expected) {
  EXPECT_NO_THROW(table.verify());
  ASSERT_EQ(table.num_values(), expected.size());
  for (std::uint64_t i = 0; i < table.num_values(); ++i) {
    const TableEntry entry = table.entry(i);
    const auto found = expected.find(std::string(entry.value));
    ASSERT_NE(found, expected.end());
    ASSERT_EQ(entry.count, found->second);
  }
}

TEST(TableBuilder, RunsGiveTheSameBytesAsMemory) {
  for (const HashKind kind : {HashKind::xxh64, HashKind::xxh3_128}) {
    const Stream stream(kind, 250000, 250000, 90);
    const TempDirectory small_directory;
    const TempDirectory large_directory;
    TableBuilder small(stream.schema(), small_directory.path(), least);
    TableBuilder large(stream.schema(), large_directory.path(), least * 64);
    std::uint64_t most_bytes = 0;
    stream.for_each([&](std::size_t feature, const std::string& value, std::uint64_t count) {
      small.add(feature, value, count);
      large.add(feature, value, count);
      most_bytes = std::max(most_bytes, small.memory_bytes());
    });
    EXPECT_GE(small.num_runs(), 1u);  // finish() adds another
    EXPECT_EQ(large.num_runs(), 0u);
    EXPECT_LE(most_bytes, least);
    EXPECT_GE(most_bytes, least / 4);
    EXPECT_TRUE(small_directory.files().empty());
    const TableSet small_set = small.finish();
    EXPECT_EQ(small_set.fingerprint, large.finish().fingerprint);
    EXPECT_LT(small.memory_bytes(), std::uint64_t{1} << 20);
    for (const auto& item : small_set.items) {
      EXPECT_EQ(read_text_file(small_directory / item.file), read_text_file(large_directory / item.file));
    }
    EXPECT_EQ(small_directory.files(), large_directory.files());
    expect_table(LookupTable(small_directory / small_set.items[0].file), stream.expected(0));
    expect_table(LookupTable(small_directory / small_set.items[1].file), stream.expected(1));
  }
}

/// Two values of 64 bytes that share their XXH64 with seed 0. The first lane consumes the words at offsets 0
/// and 32 as v = rotl(v + word * p2, 31) * p1, so the second word can undo whatever the first one does: solve
/// v + word * p2 for it.
std::pair<std::string, std::string> values_with_one_hash() {
  constexpr std::uint64_t p1 = 0x9E3779B185EBCA87;
  constexpr std::uint64_t p2 = 0xC2B2AE3D27D4EB4F;
  std::uint64_t inverse = p2;  // of p2 modulo 2^64; each Newton step doubles the correct bits
  for (int step = 0; step < 6; ++step) inverse *= 2 - p2 * inverse;
  const auto after = [](std::uint64_t word) { return std::rotl(p1 + p2 + word * p2, 31) * p1; };
  const auto value = [](std::uint64_t first, std::uint64_t second) {
    std::string bytes(64, 'z');
    std::memcpy(bytes.data(), &first, sizeof first);
    std::memcpy(bytes.data() + 32, &second, sizeof second);
    return bytes;
  };
  const std::uint64_t second = 12345;
  return {value(1, second), value(2, second + (after(1) - after(2)) * inverse)};
}

/// Values of the given kind, in chunks that threads may count in any order.
std::vector<std::vector<std::string>> chunks_of(const char* kind) {
  std::mt19937_64 random(9);
  std::vector<std::vector<std::string>> chunks(40);
  std::uint64_t next = 0;
  const auto draw = [&]() -> std::uint64_t {
    if (kind == std::string_view("distinct")) return next++;
    if (kind == std::string_view("skewed")) return random() % (std::uint64_t{1} << (random() % 20));
    return random() % 40000;
  };
  const auto twins = values_with_one_hash();
  for (auto& chunk : chunks) {
    for (int i = 0; i < 5000; ++i) {
      const std::uint64_t number = draw();
      std::string value = std::to_string(number);
      if (kind == std::string_view("long")) value.insert(0, number % 300, 'v');
      if (kind == std::string_view("one hash") && number % 3 != 0) {
        value = number % 2 == 0 ? twins.first : twins.second;
      }
      chunk.push_back(std::move(value));
    }
  }
  return chunks;
}

TEST(TableBuilder, ThreadsAndBudgetsDoNotChangeTheTables) {
  const Schema schema = schema_of({hashed_feature("a", 1000), hashed_feature("b", 5)});
  std::size_t num_spills = 0;
  for (const char* kind : {"random", "skewed", "distinct", "long", "one hash"}) {
    SCOPED_TRACE(kind);
    const auto chunks = chunks_of(kind);
    std::map<std::string, std::uint64_t> expected;
    for (const auto& chunk : chunks) {
      for (const std::string& value : chunk) ++expected[value];
    }
    std::string first_bytes;
    for (const std::size_t threads : {1, 2, 7}) {
      for (const std::uint64_t budget : {least, 2 * least, 16 * least}) {
        const TempDirectory directory;
        TableBuilder builder(schema, directory.path(), budget);
        with_threads(threads, [&] {
          parallel_for(chunks.size(), [&](std::size_t c) {
            std::vector<HashedValue> values;
            for (const std::string& value : chunks[c]) values.emplace_back(value, hash_xxh64(value));
            builder.add_many(c % 2, values);
            for (const std::string& value : chunks[c]) builder.add(1 - c % 2, value);
            EXPECT_LE(builder.memory_bytes(), budget);
          });
          num_spills += builder.num_runs();
          const TableSet set = builder.finish();
          for (const auto& item : set.items) {
            const std::string path = directory / item.file;
            if (first_bytes.empty()) expect_table(LookupTable(path), expected);
          }
          std::string bytes;
          for (const auto& item : set.items) bytes += read_text_file(directory / item.file);
          if (first_bytes.empty()) first_bytes = bytes;
          EXPECT_TRUE(bytes == first_bytes) << threads << " threads, " << budget << " bytes";
        });
      }
    }
  }
  EXPECT_GT(num_spills, 10u);
}

TEST(TableBuilder, ManyValuesAreRefusedWhereOneIs) {
  const TempDirectory directory;
  const std::vector<HashedValue> values(3, HashedValue("v", hash_xxh64("v")));
  TableBuilder builder(schema_of({hashed_feature("n", 0, Encoding::numeric)}), directory.path(), least);
  EXPECT_THROW(builder.add_many(0, values), ConfigError);
  EXPECT_THROW(builder.add_many(1, values), ConfigError);
  TableBuilder wide(schema_of({hashed_feature("a", 10)}, HashKind::xxh3_128), directory.path(), least);
  EXPECT_THROW(wide.add_many(0, values), ConfigError);
}

TEST(TableBuilder, LongValuesStayWithinTheBudget) {
  const TempDirectory directory;
  const Schema schema = schema_of({hashed_feature("a", 10)});
  TableBuilder builder(schema, directory.path(), least);
  // The values of a length differ in the last byte only. All are longer than any buffer, and the last two are
  // longer than the whole budget.
  const std::vector<std::size_t> lengths = {100000, 1u << 20, 9u << 20, 17u << 20};
  std::map<std::string, std::uint64_t> expected;
  for (int repeat = 0; repeat < 2; ++repeat) {
    for (const std::size_t length : lengths) {
      for (const char end : {'x', 'y'}) {
        std::string value(length, 'v');
        value.back() = end;
        builder.add(0, value);
        ++expected[value];
        EXPECT_LE(builder.memory_bytes(), least);
      }
    }
  }
  EXPECT_GE(builder.num_runs(), 4u);
  const TableSet set = builder.finish();
  expect_table(LookupTable(directory / set.items[0].file), expected);
}

TEST(TableBuilder, ValuesThatShareAHashAreKeptApart) {
  const auto twins = values_with_one_hash();
  ASSERT_EQ(hash_xxh64(twins.first), hash_xxh64(twins.second));
  ASSERT_NE(twins.first, twins.second);
  const TempDirectory directory;
  const auto table = testing::make_table(directory.path(), schema_of({hashed_feature("a", 10)}),
                                         {{twins.first, 2}, {twins.second, 3}, {twins.first, 5}});
  EXPECT_NO_THROW(table.verify());
  ASSERT_EQ(table.num_values(), 2u);
  EXPECT_EQ(table.entry(0).hash, table.entry(1).hash);
  EXPECT_LT(table.entry(0).value, table.entry(1).value);
  EXPECT_EQ(table.total_count(), 10u);
}

TEST(TableBuilder, AnUnfinishedBuilderLeavesNothing) {
  const TempDirectory directory;
  {
    TableBuilder builder(schema_of({hashed_feature("a", 10)}), directory.path(), least);
    std::string value(1 << 20, 'v');
    for (int i = 0; i < 40; ++i) {
      value.back() = static_cast<char>(i);
      builder.add(0, value);
    }
    EXPECT_GE(builder.num_runs(), 1u);
  }
  EXPECT_TRUE(directory.files().empty());
}

TEST(TableBuilder, AMissingFolderIsNamed) {
  TableBuilder builder(schema_of({hashed_feature("a", 10)}), "/nonexistent-folder", least);
  builder.add(0, "v");
  EXPECT_THROW(builder.finish(), FileError);
}

}  // namespace
}  // namespace widehash
