#include "arrow_kit.hpp"

#include <widehash/error.hpp>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using test::Producer;
using test::texts_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(ArrowTypes, ListsOfListsAndOfTimesHaveNoText) {
  const std::int32_t offsets[] = {0, 1};
  const std::int64_t times[] = {1};
  Producer arrow;
  auto& outer = arrow.column("+l", "tags", 1, {nullptr, offsets});
  auto& inner = arrow.column("+l", "item", 1, {nullptr, offsets});
  arrow.as_values_of(inner, arrow.column("l", "item", 1, {nullptr, times}));
  arrow.as_values_of(outer, inner);
  EXPECT_THAT([&] { texts_of(arrow.table(1), 0); },
              ThrowsMessage<ConfigError>(HasSubstr("column 'tags' has the Arrow type 'list<list<int64>>'")));
  Producer other;
  auto& list = other.column("+l", "tags", 1, {nullptr, offsets});
  other.as_values_of(list, other.column("tsu:Asia/Tokyo", "item", 1, {nullptr, times}));
  EXPECT_THAT([&] { texts_of(other.table(1), 0); },
              ThrowsMessage<ConfigError>(
                  HasSubstr("column 'tags' has the Arrow type 'list<timestamp[us, tz=Asia/Tokyo]>'")));
}

TEST(ArrowTypes, AColumnOfAnotherTypeIsAnErrorOnlyWhenItIsRead) {
  const std::int64_t times[] = {1};
  const std::int32_t numbers[] = {1};
  Producer arrow;
  arrow.column("tsu:Asia/Tokyo", "when", 1, {nullptr, times});
  arrow.column("i", "number", 1, {nullptr, numbers});
  const ColumnTable table = arrow.table(1);
  EXPECT_THAT(texts_of(table, 1), ElementsAre("1"));
  EXPECT_THAT([&] { texts_of(table, 0); },
              ThrowsMessage<ConfigError>(
                  HasSubstr("column 'when' has the Arrow type 'timestamp[us, tz=Asia/Tokyo]'")));
}

TEST(ArrowTypes, ADictionaryOfListsIsAnErrorOnlyWhenItIsRead) {
  const std::int32_t offsets[] = {0, 2};
  const std::int8_t bytes[] = {0, 0};
  Producer arrow;
  auto& list = arrow.column("+l", "", 1, {nullptr, offsets});
  arrow.as_values_of(list, arrow.column("c", "item", 2, {nullptr, bytes}));
  arrow.as_dictionary();  // the list
  Producer::Column& column = arrow.column("c", "x", 2, {nullptr, bytes});
  column.schema.dictionary = &list.schema;
  column.array.dictionary = &list.array;
  const ColumnTable table = arrow.table(2);
  EXPECT_THAT(
      [&] { texts_of(table, 0); },
      ThrowsMessage<ConfigError>(HasSubstr("column 'x' has the Arrow type 'dictionary<list<int8>>'")));
}

TEST(ArrowTypes, DatesOf64BitsAreTheTextsOfThoseOf32) {
  const std::int32_t days[] = {0, -1, 20455};
  const std::int64_t milliseconds[] = {0, -86400000, 20455 * std::int64_t{86400000}};
  Producer arrow;
  arrow.column("tdD", "a", 3, {nullptr, days});
  arrow.column("tdm", "b", 3, {nullptr, milliseconds});
  const ColumnTable table = arrow.table(3);
  EXPECT_EQ(texts_of(table, 0), (std::vector<std::string>{"1970-01-01", "1969-12-31", "2026-01-02"}));
  EXPECT_EQ(texts_of(table, 1), texts_of(table, 0));
}

TEST(ArrowTypes, TypesWithoutATextAreNamedAsTheirLibrariesNameThem) {
  const std::pair<const char*, const char*> formats[] = {
      {"tss:Europe/Oslo", "timestamp[s, tz=Europe/Oslo]"},
      {"ttu", "time64[us]"},
      {"tDm", "duration[ms]"},
      {"d:10,2", "decimal(10,2)"},
      {"d:10,-2", "decimal(10,-2)"},
      {"d:10,0,256", "decimal(10,0,256)"},
      {"d:", "decimal()"},
      {"d:10", "decimal(10)"},
      {"tin", "month_day_nano_interval"},
      {"+ud:0,1", "dense_union<>"},
      {"w:", "fixed_size_binary[]"},
      {"tsx", "tsx"},
      {"from next year", "from next year"},
  };
  const std::int64_t values[] = {1};
  for (const auto& [format, name] : formats) {
    Producer arrow;
    arrow.column(format, "a", 1, {nullptr, values});
    const ColumnTable table = arrow.table(1);
    EXPECT_THAT([&] { texts_of(table, 0); },
                ThrowsMessage<ConfigError>(HasSubstr(std::string("the Arrow type '") + name + "'")));
  }
}

/// Metadata laid out as in the C data interface.
std::string metadata_of(const std::vector<std::string>& keys_and_values) {
  std::string metadata;
  const auto append = [&](std::int32_t number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    metadata.append(bytes, sizeof number);
  };
  append(static_cast<std::int32_t>(keys_and_values.size() / 2));
  for (const std::string& text : keys_and_values) {
    append(static_cast<std::int32_t>(text.size()));
    metadata += text;
  }
  return metadata;
}

std::string extension(const std::string& name) {
  return metadata_of({"PARQUET:field_id", "7", "ARROW:extension:name", name, "ARROW:extension:metadata", ""});
}

TEST(ArrowTypes, Bool8IsBooleansAndJsonIsItsText) {
  const std::int8_t bytes[] = {1, 0, -1, 9};
  const std::uint8_t there[] = {0b0111};
  const std::int32_t offsets[] = {0, 2, 4, 4, 4};
  const std::string bool8 = extension("arrow.bool8");
  const std::string json = extension("arrow.json");
  const std::string other = metadata_of({"note", "arrow.uuid"});
  Producer arrow;
  arrow.column("c", "b", 4, {there, bytes}, 0, 1).schema.metadata = bool8.data();
  arrow.column("u", "j", 4, {nullptr, offsets, "[]{}"}).schema.metadata = json.data();
  arrow.column("c", "i", 4, {nullptr, bytes}).schema.metadata = other.data();
  const ColumnTable table = arrow.table(4);
  EXPECT_THAT(texts_of(table, 0), ElementsAre("true", "false", "true", ""));
  EXPECT_THAT(texts_of(table, 1), ElementsAre("[]", "{}", "", ""));
  EXPECT_THAT(texts_of(table, 2), ElementsAre("1", "0", "-1", "9"));
}

TEST(ArrowTypes, OtherExtensionTypesAreRefusedByName) {
  const std::uint8_t bytes[16] = {};
  const std::int32_t offsets[] = {0, 1};
  const auto refused = [](Producer& arrow, const char* type) {
    const ColumnTable table = arrow.table(1);
    EXPECT_THAT(
        [&] { texts_of(table, 0); },
        ThrowsMessage<ConfigError>(HasSubstr(std::string("column 'x' has the Arrow type '") + type + "'")));
  };
  const std::string uuid = extension("arrow.uuid");
  Producer plain;
  plain.column("w:16", "x", 1, {nullptr, bytes}).schema.metadata = uuid.data();
  refused(plain, "extension<arrow.uuid>");

  Producer lists;
  auto& list = lists.column("+l", "x", 1, {nullptr, offsets});
  auto& items = lists.column("w:16", "item", 1, {nullptr, bytes});
  items.schema.metadata = uuid.data();
  lists.as_values_of(list, items);
  refused(lists, "list<extension<arrow.uuid>>");

  Producer dictionaries;
  dictionaries.column("w:16", "", 1, {nullptr, bytes}).schema.metadata = uuid.data();
  Producer::Column& dictionary = dictionaries.as_dictionary();
  Producer::Column& column = dictionaries.column("c", "x", 1, {nullptr, bytes});
  column.schema.dictionary = &dictionary.schema;
  column.array.dictionary = &dictionary.array;
  refused(dictionaries, "dictionary<extension<arrow.uuid>>");

  // A type that is not stored as its specification says is treated like an unknown type.
  const std::string json = extension("arrow.json");
  Producer broken;
  broken.column("w:16", "x", 1, {nullptr, bytes}).schema.metadata = json.data();
  refused(broken, "extension<arrow.json>");
}

TEST(ArrowTypes, MetadataOfANegativeLengthIsRefused) {
  const std::int8_t values[] = {1};
  for (std::string metadata :
       {std::string("\xff\xff\xff\xff", 4), extension("").replace(4, 4, "\xff\xff\xff\xff")}) {
    Producer arrow;
    arrow.column("c", "x", 1, {nullptr, values}).schema.metadata = metadata.data();
    EXPECT_THAT([&] { arrow.table(1); },
                ThrowsMessage<ShapeError>(HasSubstr("column 'x' of an Arrow table: metadata")));
  }
}

}  // namespace
}  // namespace widehash
