#include "make_table.hpp"
#include "temp_directory.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/section_file.hpp>
#include <widehash/lookup_table.hpp>

#include <algorithm>
#include <fstream>
#include <functional>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace widehash {
namespace {

using testing::Counts;
using testing::hashed_feature;
using testing::make_table;
using testing::schema_of;
using testing::TempDirectory;
using namespace std::string_literals;

const Counts some_values = {{"", 3},        {"b", 1}, {"a", 2}, {"a\0b"s, 5}, {std::string(100000, 'x'), 7},
                            {"\xFF\n\t", 1}};

TEST(LookupTable, HoldsEveryValueWithItsHashCodeAndCount) {
  for (const HashKind kind : {HashKind::xxh64, HashKind::xxh3_128}) {
    const TempDirectory directory;
    Schema schema = schema_of({hashed_feature("f", 1000)}, kind);
    schema.seed = 17;
    const LookupTable table = make_table(directory.path(), schema, some_values);
    EXPECT_EQ(table.feature(), "f");
    EXPECT_EQ(table.schema_fingerprint(), schema.fingerprint());
    EXPECT_EQ(table.cardinality(), 1000u);
    EXPECT_EQ(table.width(), 32u);
    EXPECT_EQ(table.hash_kind(), kind);
    EXPECT_EQ(table.seed(), 17u);
    EXPECT_EQ(table.total_count(), 19u);
    ASSERT_EQ(table.num_values(), some_values.size());
    EXPECT_NO_THROW(table.verify());

    Counts seen;
    for (std::uint64_t i = 0; i < table.num_values(); ++i) {
      const TableEntry entry = table.entry(i);
      seen.emplace_back(entry.value, entry.count);
      if (i > 0) {
        EXPECT_LT(table.hashes()[i - 1], table.hashes()[i]);
      }
      if (kind == HashKind::xxh64) {
        EXPECT_EQ(entry.hash, hash_xxh64(entry.value, 17));
        EXPECT_EQ(entry.code, four_split(entry.hash, 32));
      } else {
        EXPECT_EQ(entry.code, four_split(hash_xxh3_128(entry.value, 17), 32));
      }
    }
    Counts expected = some_values;
    std::sort(expected.begin(), expected.end());
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, expected);
  }
}

TEST(LookupTable, EmptyTableHasNoValues) {
  const TempDirectory directory;
  const LookupTable table = make_table(directory.path(), schema_of({hashed_feature("f", 10)}), {});
  EXPECT_EQ(table.num_values(), 0u);
  EXPECT_EQ(table.total_count(), 0u);
  EXPECT_NO_THROW(table.verify());
}

TEST(LookupTable, OneHotKnowsItsBuckets) {
  const TempDirectory directory;
  EXPECT_EQ(
      make_table(directory.path(), schema_of({hashed_feature("f", 1000, Encoding::one_hot)}), {}).buckets(),
      128u);
  Feature feature = hashed_feature("f", 0, Encoding::one_hot);
  feature.buckets = 852;
  const LookupTable table = make_table(directory.path(), schema_of({feature}), {{"a", 1}});
  EXPECT_EQ(table.buckets(), 852u);
  EXPECT_EQ(table.width(), 213u);
  EXPECT_NO_THROW(table.verify());
}

TEST(LookupTable, OneHotMayHaveAsManyBucketsAsAMatrixHasColumns) {
  for (const std::uint64_t buckets : {std::uint64_t{262145}, std::uint64_t{1000000}, max_columns}) {
    const TempDirectory directory;
    Feature feature = hashed_feature("f", 0, Encoding::one_hot);
    feature.buckets = buckets;
    const LookupTable table = make_table(directory.path(), schema_of({feature}), {{"a", 1}});
    EXPECT_EQ(table.buckets(), buckets);
    EXPECT_NO_THROW(table.verify());
  }
}

TEST(LookupTable, EveryFlippedBitIsFound) {
  const TempDirectory directory;
  make_table(directory.path(), schema_of({hashed_feature("f", 10)}), {{"a", 1}, {"bc", 2}, {"", 3}});
  const std::string path = directory / "000-f.table";
  const std::string good = read_text_file(path);
  for (std::size_t i = 0; i < good.size(); ++i) {
    if (i >= 20 && i < 24) continue;  // the minor version, which may differ
    const auto put = [&](char byte) {
      std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
      file.seekp(static_cast<std::streamoff>(i)).put(byte);
    };
    put(static_cast<char>(good[i] ^ (1 << (i % 8))));
    EXPECT_THROW(LookupTable(path).verify(), DataError) << "byte " << i;
    put(good[i]);
  }
}

/// A table with valid checksums whose contents the test chooses freely.
struct ForgedTable {
  std::vector<std::uint64_t> hashes = {hash_xxh64("a"), hash_xxh64("b")};
  std::vector<std::uint64_t> counts = {1, 1};
  std::vector<Buckets> codes;
  std::vector<std::uint64_t> offsets = {0, 1, 2};
  std::string values = "ab";
  nlohmann::json metadata = {{"feature", "f"},
                             {"schema_fingerprint", ""},
                             {"encoding", "four_split"},
                             {"cardinality", 10},
                             {"buckets", 0},
                             {"width", 8},
                             {"hash", "xxh64"},
                             {"seed", 0},
                             {"num_values", 2},
                             {"total_count", 2}};

  ForgedTable() {
    if (hashes[0] > hashes[1]) {
      std::swap(hashes[0], hashes[1]);
      values = "ba";
    }
    for (const auto hash : hashes) codes.push_back(four_split(hash, 8));
  }
  LookupTable write(const std::string& path) const {
    SectionWriter file(path, "table");
    file.add_section("hashes", std::as_bytes(std::span(hashes)));
    file.add_section("counts", std::as_bytes(std::span(counts)));
    file.add_section("codes", std::as_bytes(std::span(codes)));
    file.add_section("value_offsets", std::as_bytes(std::span(offsets)));
    file.add_section("values", std::as_bytes(std::span(values)));
    file.finish(metadata.dump());
    return LookupTable(path);
  }
};

TEST(LookupTable, ForgedSizesAreRefusedOnOpening) {
  const TempDirectory directory;
  const std::string path = directory / "t.table";
  EXPECT_NO_THROW(ForgedTable().write(path).verify());
  const std::vector<std::function<void(ForgedTable&)>> changes = {
      [](ForgedTable& t) { t.counts.pop_back(); },
      [](ForgedTable& t) { t.codes.push_back({}); },
      [](ForgedTable& t) { t.offsets.pop_back(); },
      [](ForgedTable& t) { t.offsets.clear(); },
      [](ForgedTable& t) { t.offsets[0] = 1; },
      [](ForgedTable& t) { t.values += "c"; },
      [](ForgedTable& t) { t.metadata["num_values"] = 3; },
      [](ForgedTable& t) { t.metadata["width"] = 0; },
      [](ForgedTable& t) { t.metadata["width"] = 65537; },
      [](ForgedTable& t) { t.metadata["hash"] = "xxh3_128"; },  // without the section hashes_low
      [](ForgedTable& t) { t.metadata["encoding"] = "numeric"; },
      [](ForgedTable& t) { t.metadata.erase("feature"); },
      [](ForgedTable& t) { t.metadata["seed"] = "none"; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    ForgedTable table;
    changes[i](table);
    EXPECT_THROW(table.write(path), DataError) << "change " << i;
  }
}

TEST(LookupTable, ForgedContentsAreSafeToReadAndFoundByVerify) {
  const TempDirectory directory;
  const std::string path = directory / "t.table";
  const std::vector<std::function<void(ForgedTable&)>> changes = {
      [](ForgedTable& t) { t.offsets[1] = std::uint64_t{1} << 60; },
      [](ForgedTable& t) { t.offsets[1] = 2; },
      [](ForgedTable& t) { std::swap(t.hashes[0], t.hashes[1]); },
      [](ForgedTable& t) { t.codes[1][3] ^= 1; },
      [](ForgedTable& t) {
        t.counts = {0, 2};
      },
      [](ForgedTable& t) {
        t.counts = {2, 2};
      },
      [](ForgedTable& t) {
        std::swap(t.hashes[0], t.hashes[1]);
        std::swap(t.codes[0], t.codes[1]);
        std::swap(t.values[0], t.values[1]);
      },
      [](ForgedTable& t) {
        t.hashes[1] = t.hashes[0];
        t.codes[1] = t.codes[0];
        t.values[1] = t.values[0];
      },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    ForgedTable forged;
    changes[i](forged);
    const LookupTable table = forged.write(path);
    for (std::uint64_t k = 0; k < table.num_values(); ++k) EXPECT_LE(table.entry(k).value.size(), 2u);
    EXPECT_THROW(table.verify(), DataError) << "change " << i;
  }
}

}  // namespace
}  // namespace widehash
