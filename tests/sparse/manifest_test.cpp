#include "base/damage.hpp"
#include "base/temp_folder.hpp"

#include <widehash/checksum.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/manifest.hpp>

#include <iterator>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace widehash {
namespace {

using test::message_of;
using test::TempFolder;
using testing::HasSubstr;

Manifest small_manifest() {
  Manifest manifest;
  manifest.schema_fingerprint = "00112233445566778899aabbccddeeff";
  manifest.tables_fingerprint = "fe";
  manifest.head_columns = {0, 3};
  manifest.num_columns = 77;
  manifest.block_bytes = 4096;
  manifest.inputs = {{"a \"b\".tsv", 100, 6, 1}, {"-", 0, 3, 0}};
  manifest.shards = {{"part-0.shard", 5, 640, 0xFEDCBA9876543210}, {"part-1.shard", 3, 576, 1}};
  manifest.rows = 8;
  manifest.rejected_rows = 1;
  return manifest;
}

TEST(Manifest, ComesBackAsWritten) {
  const TempFolder folder;
  const Manifest written = small_manifest();
  write_manifest(written, folder.path());
  const Manifest read = load_manifest(folder.path());
  EXPECT_EQ(read.schema_fingerprint, written.schema_fingerprint);
  EXPECT_EQ(read.tables_fingerprint, written.tables_fingerprint);
  EXPECT_EQ(read.head_columns, written.head_columns);
  EXPECT_EQ(read.num_columns, written.num_columns);
  EXPECT_EQ(read.block_bytes, written.block_bytes);
  ASSERT_EQ(read.inputs.size(), 2u);
  EXPECT_EQ(read.inputs[0].path, "a \"b\".tsv");
  EXPECT_EQ(read.inputs[0].size_bytes, 100u);
  EXPECT_EQ(read.inputs[1].rows, 3u);
  ASSERT_EQ(read.shards.size(), 2u);
  EXPECT_EQ(read.shards[0].checksum, 0xFEDCBA9876543210u);
  EXPECT_EQ(read.shards[1].bytes, 576u);
  EXPECT_EQ(read.rows_read(), 9u);
}

TEST(Manifest, SameContentsGiveTheSameBytes) {
  const TempFolder folder;
  write_manifest(small_manifest(), folder.path());
  const std::string first = read_text_file(folder.file("manifest.json"));
  write_manifest(load_manifest(folder.path()), folder.path());
  EXPECT_EQ(read_text_file(folder.file("manifest.json")), first);
}

TEST(Manifest, EmptyDatasetHasOne) {
  const TempFolder folder;
  write_manifest({}, folder.path());
  EXPECT_EQ(load_manifest(folder.path()).rows_read(), 0u);
}

TEST(Manifest, CountsPast32Bits) {
  const TempFolder folder;
  Manifest manifest;
  manifest.rows = std::uint64_t{5} << 40;
  manifest.rejected_rows = 7;
  manifest.shards = {{"part-0.shard", manifest.rows, ~std::uint64_t{0} >> 1, ~std::uint64_t{0}}};
  manifest.inputs = {{"a", 1, manifest.rows + 7, 7}};
  write_manifest(manifest, folder.path());
  EXPECT_EQ(load_manifest(folder.path()).rows_read(), (std::uint64_t{5} << 40) + 7);
}

TEST(Manifest, PathThatIsNotUtf8IsShownAsFarAsItGoes) {
  const TempFolder folder;
  Manifest manifest = small_manifest();
  manifest.inputs[0].path = "a\xff.tsv";
  write_manifest(manifest, folder.path());
  EXPECT_EQ(load_manifest(folder.path()).inputs[0].path, "a\xEF\xBF\xBD.tsv");
}

TEST(Manifest, AnyDamageIsNoticed) {
  const TempFolder folder;
  write_manifest(small_manifest(), folder.path());
  test::expect_all_damage_noticed(folder.file("manifest.json"), [&] {
    return test::throws<DataError>([&] { load_manifest(folder.path()); });
  });
}

TEST(Manifest, AnyDamageToOneOfFoldsIsNoticed) {
  const TempFolder folder;
  Manifest manifest = small_manifest();
  manifest.folds = parse_folds("1-9/10");
  manifest.folds.by = "user";
  manifest.other_fold_rows = manifest.inputs[0].other_fold_rows = 7;
  manifest.inputs[0].rows += 7;
  write_manifest(manifest, folder.path());
  EXPECT_EQ(load_manifest(folder.path()).folds, manifest.folds);
  EXPECT_EQ(load_manifest(folder.path()).inputs[0].other_fold_rows, 7u);
  test::expect_all_damage_noticed(folder.file("manifest.json"), [&] {
    return test::throws<DataError>([&] { load_manifest(folder.path()); });
  });
  manifest.code_bytes = CodeBytes::two;
  EXPECT_THROW(write_manifest(manifest, folder.path()), DataError);
}

TEST(Manifest, AnotherMajorVersionIsRefusedByName) {
  const TempFolder folder;
  test::overwrite(folder.file("manifest.json"), R"({"widehash_manifest": 5, "who": "knows"})");
  EXPECT_THAT(message_of<DataError>([&] { load_manifest(folder.path()); }), HasSubstr("manifest version 5"));
  test::overwrite(folder.file("manifest.json"), R"({"some": "json"})");
  EXPECT_THAT(message_of<DataError>([&] { load_manifest(folder.path()); }), HasSubstr("not the manifest"));
  const std::string deep = R"({"widehash_manifest": 2, "x": )" + std::string(300'000, '[');
  test::overwrite(folder.file("manifest.json"), deep + std::string(300'000, ']') + "}");
  EXPECT_THAT(message_of<DataError>([&] { load_manifest(folder.path()); }), HasSubstr("nested too deep"));
  test::overwrite(folder.file("manifest.json"), "[1, 2]");
  EXPECT_THROW(load_manifest(folder.path()), DataError);
}

TEST(Manifest, TheVersionGivesTheSizeOfCodes) {
  const TempFolder folder;
  Manifest manifest = small_manifest();
  for (const auto& [code_bytes, version] :
       {std::pair{CodeBytes::two, 1}, {CodeBytes::least, 2}, {CodeBytes::least_in_runs, 4}}) {
    manifest.code_bytes = code_bytes;
    write_manifest(manifest, folder.path());
    EXPECT_EQ(load_manifest(folder.path()).code_bytes, code_bytes);
    const auto json = nlohmann::json::parse(read_text_file(folder.file("manifest.json")));
    EXPECT_EQ(json.at("widehash_manifest"), version);
  }
}

TEST(Manifest, VersionComesFirstAndChecksumLast) {
  const TempFolder folder;
  write_manifest(small_manifest(), folder.path());
  const auto json = nlohmann::ordered_json::parse(read_text_file(folder.file("manifest.json")));
  EXPECT_EQ(json.begin().key(), "widehash_manifest");
  EXPECT_EQ(std::prev(json.end()).key(), "checksum");
}

TEST(Manifest, LaterKeysOfThisVersionAreReadOver) {
  const TempFolder folder;
  write_manifest(small_manifest(), folder.path());
  auto json = nlohmann::ordered_json::parse(read_text_file(folder.file("manifest.json")));
  json.erase("checksum");
  json["later"] = {1, 2};
  const std::string body = json.dump(1) + "\n";
  json["checksum"] = to_hex(checksum(std::as_bytes(std::span(body))));
  test::overwrite(folder.file("manifest.json"), json.dump(1) + "\n");
  EXPECT_EQ(load_manifest(folder.path()).rows, 8u);
}

TEST(Manifest, TotalsMustAddUp) {
  const TempFolder folder;
  const auto refused = [&](auto change) {
    Manifest manifest = small_manifest();
    change(manifest);
    return message_of<DataError>([&] { write_manifest(manifest, folder.path()); });
  };
  EXPECT_THAT(refused([](Manifest& m) { m.rows = 9; }), HasSubstr("the shards hold 8 rows"));
  EXPECT_THAT(refused([](Manifest& m) { m.rejected_rows = 0; }), HasSubstr("rejected"));
  EXPECT_THAT(refused([](Manifest& m) { m.inputs[1].rows = 4; }), HasSubstr("rows read (10)"));
  EXPECT_THAT(refused([](Manifest& m) { m.shards[1].file = "part-0.shard"; }), HasSubstr("named twice"));
  for (const char* name : {"", "..", "../part-0.shard", "/etc/passwd"}) {
    EXPECT_THAT(refused([&](Manifest& m) { m.shards[1].file = name; }), HasSubstr("not the name of a file"));
  }
  EXPECT_THAT(refused([](Manifest& m) { m.shards[1].file = m.shards[0].file + '\0'; }),
              HasSubstr("not the name of a file"));
  EXPECT_EQ(folder.num_entries(), 0u);
}

TEST(Manifest, MissingOneIsAFileError) {
  const TempFolder folder;
  EXPECT_THROW(load_manifest(folder.path()), FileError);
}

}  // namespace
}  // namespace widehash
