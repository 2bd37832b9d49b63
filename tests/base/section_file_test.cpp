#include "base/damage.hpp"
#include "base/temp_folder.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/section_file.hpp>

#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using test::message_of;
using test::overwrite;
using test::TempFolder;
using testing::HasSubstr;

constexpr std::array<std::uint32_t, 5> numbers{1, 2, 3, 0xFFFFFFFF, 5};

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::uint64_t write_small(const std::string& path) {
  SectionWriter writer(path, "shard");
  writer.add_section("numbers", std::as_bytes(std::span(numbers)));
  writer.add_section("empty", {});
  writer.add_section("text", bytes_of("hello"));
  return writer.finish(R"({"rows":5})");
}

void open_and_verify(const std::string& path) { SectionFile(path, "shard").verify(); }

TEST(SectionFile, GivesBackWhatWasWritten) {
  const TempFolder folder;
  const std::uint64_t sum = write_small(folder.file("a"));
  const SectionFile file(folder.file("a"), "shard");
  file.verify();
  EXPECT_EQ(file.footer_checksum(), sum);
  EXPECT_EQ(file.metadata_json(), R"({"rows":5})");
  EXPECT_EQ(file.sections().size(), 3u);
  EXPECT_EQ(file.file_bytes(), file_size_bytes(folder.file("a")));
  const auto read = file.as<std::uint32_t>("numbers");
  EXPECT_TRUE(std::equal(read.begin(), read.end(), numbers.begin(), numbers.end()));
  EXPECT_TRUE(file.has("empty"));
  EXPECT_TRUE(file.bytes("empty").empty());
  EXPECT_EQ(file.bytes("text").size(), 5u);
}

TEST(SectionFile, SectionsStartAtMultiplesOf64) {
  const TempFolder folder;
  write_small(folder.file("a"));
  const SectionFile file(folder.file("a"), "shard");
  for (const Section& section : file.sections()) {
    EXPECT_EQ(section.offset % section_alignment, 0u) << section.name;
  }
}

TEST(SectionFile, FileWithoutSectionsIsAFile) {
  const TempFolder folder;
  SectionWriter(folder.file("a"), "model").finish("{}");
  const SectionFile file(folder.file("a"), "model");
  file.verify();
  EXPECT_TRUE(file.sections().empty());
}

TEST(SectionFile, StreamedAndWholeSectionsGiveTheSameFile) {
  const TempFolder folder;
  std::vector<std::uint16_t> items(10'007);
  std::iota(items.begin(), items.end(), std::uint16_t{0});
  const auto bytes = std::as_bytes(std::span(items));
  SectionWriter whole(folder.file("whole"), "table");
  whole.add_section("items", bytes);
  whole.add_section("again", bytes);
  const std::uint64_t whole_sum = whole.finish("{}");

  SectionWriter streamed(folder.file("streamed"), "table");
  for (const char* name : {"items", "again"}) {
    streamed.begin_section(name);
    for (std::size_t at = 0; at < bytes.size(); at += 777) {
      streamed.append(bytes.subspan(at, std::min<std::size_t>(777, bytes.size() - at)));
    }
  }
  EXPECT_EQ(streamed.finish("{}"), whole_sum);
  EXPECT_EQ(streamed.file_bytes(), whole.file_bytes());
  EXPECT_EQ(read_text_file(folder.file("streamed")), read_text_file(folder.file("whole")));
}

TEST(SectionFile, NothingIsThereBeforeFinish) {
  const TempFolder folder;
  { SectionWriter(folder.file("a"), "shard").add_section("text", bytes_of("hello")); }
  EXPECT_EQ(folder.num_entries(), 0u);
}

TEST(SectionFile, AnyDamageIsNoticed) {
  const TempFolder folder;
  write_small(folder.file("a"));
  test::expect_all_damage_noticed(
      folder.file("a"), [&] { return test::throws<DataError>([&] { open_and_verify(folder.file("a")); }); });
}

TEST(SectionFile, AnotherKindIsRefusedByName) {
  const TempFolder folder;
  write_small(folder.file("a"));
  const std::string message = message_of<DataError>([&] { SectionFile(folder.file("a"), "model"); });
  EXPECT_THAT(message, HasSubstr("kind 'shard'"));
  EXPECT_THAT(message, HasSubstr("a model is needed"));
}

TEST(SectionFile, AnotherMajorVersionIsRefusedByName) {
  const TempFolder folder;
  write_small(folder.file("a"));
  std::string bytes = read_text_file(folder.file("a"));
  const std::uint32_t newer = section_file_major + 1;
  std::memcpy(bytes.data() + 16, &newer, sizeof newer);
  overwrite(folder.file("a"), bytes);
  EXPECT_THAT(message_of<DataError>([&] { SectionFile(folder.file("a"), "shard"); }),
              HasSubstr("version " + std::to_string(newer)));
}

TEST(SectionFile, ForeignFilesAreDistinguishedFromDamage) {
  const TempFolder folder;
  overwrite(folder.file("a"), std::string(500, 'x'));
  EXPECT_THAT(message_of<DataError>([&] { SectionFile(folder.file("a"), "shard"); }),
              HasSubstr("not a widehash file"));
  overwrite(folder.file("a"), "");
  EXPECT_THAT(message_of<DataError>([&] { SectionFile(folder.file("a"), "shard"); }),
              HasSubstr("0 bytes long"));
}

TEST(SectionFile, DamagedSectionIsNamed) {
  const TempFolder folder;
  write_small(folder.file("a"));
  std::string bytes = read_text_file(folder.file("a"));
  const std::vector<Section> sections = SectionFile(folder.file("a"), "shard").sections();
  for (const Section& section : sections) {
    if (section.name == "text") bytes[section.offset] = 'j';
  }
  overwrite(folder.file("a"), bytes);
  EXPECT_THAT(message_of<DataError>([&] { open_and_verify(folder.file("a")); }), HasSubstr("'text'"));
}

TEST(SectionFile, MetadataIsNotNestedDeep) {
  const TempFolder folder;
  const std::string path = folder.file("a.shard");
  const std::size_t deep = 100;  // small enough for the writer, which recurses
  SectionWriter(path, "shard").finish(R"({"x":)" + std::string(deep, '[') + std::string(deep, ']') + "}");
  EXPECT_THAT(message_of<DataError>([&] { SectionFile(path, "shard"); }), HasSubstr("nested too deep"));
}

TEST(SectionFile, MissingAndOddSectionsAreDataErrors) {
  const TempFolder folder;
  write_small(folder.file("a"));
  const SectionFile file(folder.file("a"), "shard");
  EXPECT_FALSE(file.has("codes"));
  EXPECT_THROW(file.bytes("codes"), DataError);
  EXPECT_THROW(file.as<std::uint16_t>("text"), DataError);
}

}  // namespace
}  // namespace widehash
