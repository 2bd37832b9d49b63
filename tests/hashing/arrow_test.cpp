#include <widehash/arrow.hpp>
#include <widehash/error.hpp>
#include <widehash/value_list.hpp>

#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Arrays made by hand. Their structs live here; `released` counts the releases of record batches.
class Producer {
 public:
  struct Column {
    ArrowSchema schema{};
    ArrowArray array{};
  };

  /// Buffers are of the caller's; a null one is a validity that is not there.
  Column& column(const char* format, const char* name, std::int64_t length, std::vector<const void*> buffers,
                 std::int64_t offset = 0, std::int64_t null_count = 0) {
    Column& made = columns_.emplace_back();
    buffers_.push_back(std::move(buffers));
    made.schema = {.format = format,
                   .name = name,
                   .metadata = nullptr,
                   .flags = 0,
                   .n_children = 0,
                   .children = nullptr,
                   .dictionary = nullptr,
                   .release = &release_schema,
                   .private_data = nullptr};
    made.array = {.length = length,
                  .null_count = null_count,
                  .offset = offset,
                  .n_buffers = static_cast<std::int64_t>(buffers_.back().size()),
                  .n_children = 0,
                  .buffers = buffers_.back().data(),
                  .children = nullptr,
                  .dictionary = nullptr,
                  .release = &release_child,
                  .private_data = nullptr};
    children_schemas_.push_back(&made.schema);
    children_arrays_.push_back(&made.array);
    return made;
  }
  /// Takes the last column out of the batch, to be the dictionary of another.
  Column& as_dictionary() {
    children_schemas_.pop_back();
    children_arrays_.pop_back();
    return columns_.back();
  }
  /// Takes the last column out of the batch, to be the only child of `list`.
  void as_values_of(Column& list, Column& values) {
    as_dictionary();
    list.schema.n_children = list.array.n_children = 1;
    list.schema.children = &child_schemas_.emplace_back(&values.schema);
    list.array.children = &child_arrays_.emplace_back(&values.array);
  }

  ArrowSchema schema(const char* format = "+s") {
    return {.format = format,
            .name = "",
            .metadata = nullptr,
            .flags = 0,
            .n_children = static_cast<std::int64_t>(children_schemas_.size()),
            .children = children_schemas_.data(),
            .dictionary = nullptr,
            .release = &release_schema,
            .private_data = nullptr};
  }
  ArrowArray batch(std::int64_t length, std::int64_t offset = 0) {
    static const void* no_validity = nullptr;
    return {.length = length,
            .null_count = 0,
            .offset = offset,
            .n_buffers = 1,
            .n_children = static_cast<std::int64_t>(children_arrays_.size()),
            .buffers = &no_validity,
            .children = children_arrays_.data(),
            .dictionary = nullptr,
            .release = &release_batch,
            .private_data = &released};
  }
  ColumnTable table(std::int64_t length, std::int64_t offset = 0) {
    ArrowArray array = batch(length, offset);
    ColumnTable made = arrow_table(schema(), array);
    EXPECT_EQ(array.release, nullptr) << "the array was not taken over";
    return made;
  }

  int released = 0;

 private:
  static void release_schema(ArrowSchema* schema) { schema->release = nullptr; }
  static void release_child(ArrowArray* array) { array->release = nullptr; }
  static void release_batch(ArrowArray* array) {
    ++*static_cast<int*>(array->private_data);
    array->release = nullptr;
  }

  std::deque<Column> columns_;
  std::deque<std::vector<const void*>> buffers_;
  std::vector<ArrowSchema*> children_schemas_;
  std::vector<ArrowArray*> children_arrays_;
  std::deque<ArrowSchema*> child_schemas_;
  std::deque<ArrowArray*> child_arrays_;
};

std::vector<std::string> texts_of(const ColumnTable& table, std::size_t position) {
  TextRoom room;
  std::vector<std::string_view> texts(table.num_rows());
  table.column(position).read(0, texts.size(), texts.data(), 1, room);
  return {texts.begin(), texts.end()};
}

TEST(Arrow, IntegersFloatsAndBooleansAreTheirCanonicalTexts) {
  const std::int8_t c[] = {-1, 2};
  const std::uint8_t u8[] = {255, 2};
  const std::int16_t s[] = {-300, 2};
  const std::uint16_t u16[] = {65535, 2};
  const std::int32_t i[] = {-70000, 2};
  const std::uint32_t u32[] = {4294967295u, 2};
  const std::int64_t l[] = {-5000000000, 2};
  const std::uint64_t u64[] = {18446744073709551615u, 2};
  const float f[] = {0.5F, 2};
  const double g[] = {0.1, 2};
  const std::uint8_t b[] = {0b01};
  Producer arrow;
  arrow.column("c", "c", 2, {nullptr, c});
  arrow.column("C", "C", 2, {nullptr, u8});
  arrow.column("s", "s", 2, {nullptr, s});
  arrow.column("S", "S", 2, {nullptr, u16});
  arrow.column("i", "i", 2, {nullptr, i});
  arrow.column("I", "I", 2, {nullptr, u32});
  arrow.column("l", "l", 2, {nullptr, l});
  arrow.column("L", "L", 2, {nullptr, u64});
  arrow.column("f", "f", 2, {nullptr, f});
  arrow.column("g", "g", 2, {nullptr, g});
  arrow.column("b", "b", 2, {nullptr, b});
  arrow.column("n", "n", 2, {});
  const ColumnTable table = arrow.table(2);
  std::vector<std::string> first;
  for (std::size_t position = 0; position < 12; ++position) {
    const auto texts = texts_of(table, position);
    first.push_back(texts[0]);
    EXPECT_EQ(texts[1], position < 10 ? "2" : position == 10 ? "false" : "") << table.names()[position];
  }
  EXPECT_THAT(first, ElementsAre("-1", "255", "-300", "65535", "-70000", "4294967295", "-5000000000",
                                 "18446744073709551615", "0.5", "0.1", "true", ""));
}

TEST(Arrow, TextsOfEveryLayoutAreTheSame) {
  const std::int32_t offsets32[] = {0, 3, 3, 33};
  const std::int64_t offsets64[] = {0, 3, 3, 33};
  const std::string bytes = "abcthirty bytes, so not in the view";
  struct View {
    std::int32_t length;
    char rest[12];
  };
  View views[3] = {{3, "abc"}, {0, ""}, {30, ""}};
  std::memcpy(views[2].rest, "thir", 4);
  const std::int32_t place[2] = {1, 3};  // buffer, offset
  std::memcpy(views[2].rest + 4, place, sizeof place);
  const std::int64_t data_bytes[] = {0, static_cast<std::int64_t>(bytes.size())};
  for (const char* format : {"u", "z", "U", "Z", "vu", "vz"}) {
    Producer arrow;
    if (format[0] == 'v') {
      arrow.column(format, "text", 3, {nullptr, views, nullptr, bytes.data(), data_bytes});
    } else if (format[0] == 'U' || format[0] == 'Z') {
      arrow.column(format, "text", 3, {nullptr, offsets64, bytes.data()});
    } else {
      arrow.column(format, "text", 3, {nullptr, offsets32, bytes.data()});
    }
    EXPECT_THAT(texts_of(arrow.table(3), 0), ElementsAre("abc", "", bytes.substr(3, 30))) << format;
  }
}

TEST(Arrow, TextsOfOneSizeLieSideBySide) {
  const std::uint8_t there[] = {0b1101};
  Producer arrow;
  arrow.column("w:3", "id", 3, {there, "abcdefg\0ijkl"}, 1, 1);
  EXPECT_THAT(texts_of(arrow.table(3), 0), ElementsAre("", std::string("g\0i", 3), "jkl"));
}

TEST(Arrow, OffsetsOfBatchAndColumnAddUp) {
  const std::int32_t values[] = {0, 1, 2, 3, 4, 5};
  const std::uint8_t there[] = {0b00101111};  // value 4 is missing
  const std::uint8_t bits[] = {0b00010100};
  const std::int32_t offsets[] = {0, 1, 2, 3, 4, 5, 6};
  Producer arrow;
  arrow.column("i", "number", 5, {there, values}, 1, 1);
  arrow.column("b", "bit", 5, {nullptr, bits}, 1);
  arrow.column("u", "text", 5, {nullptr, offsets, "abcdef"}, 1);
  const ColumnTable table = arrow.table(3, 1);
  EXPECT_THAT(texts_of(table, 0), ElementsAre("2", "3", ""));
  EXPECT_THAT(texts_of(table, 1), ElementsAre("true", "false", "true"));
  EXPECT_THAT(texts_of(table, 2), ElementsAre("c", "d", "e"));
}

TEST(Arrow, ANullCountThatNobodyKnowsLooksAtTheBits) {
  const std::int32_t values[] = {7, 8};
  const std::uint8_t there[] = {0b10};
  Producer arrow;
  arrow.column("i", "a", 2, {there, values}, 0, -1);
  EXPECT_THAT(texts_of(arrow.table(2), 0), ElementsAre("", "8"));
}

TEST(Arrow, DictionariesGiveTheirValues) {
  const std::int32_t offsets[] = {0, 1, 3};
  Producer arrow;
  arrow.column("u", "", 2, {nullptr, offsets, "xyy"});
  Producer::Column& dictionary = arrow.as_dictionary();
  const std::uint8_t indices[] = {1, 0, 1};
  Producer::Column& column = arrow.column("C", "d", 3, {nullptr, indices});
  column.schema.dictionary = &dictionary.schema;
  column.array.dictionary = &dictionary.array;
  EXPECT_THAT(texts_of(arrow.table(3), 0), ElementsAre("yy", "x", "yy"));
}

std::vector<std::vector<std::string>> lists_of(const ColumnTable& table) {
  TextRoom room;
  std::vector<std::string_view> texts(table.num_rows());
  table.column(0).read_lists(0, texts.size(), texts.data(), 1, room);
  std::vector<std::vector<std::string>> lists(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for_each_listed(texts[i], [&](std::string_view value) { lists[i].emplace_back(value); });
  }
  return lists;
}

TEST(Arrow, ListsOfEveryLayoutAreTheSame) {
  // Of even lists row 1 begins at value 2; the others are written to have the same rows.
  const std::int32_t offsets32[] = {0, 2, 4, 6, 8};
  const std::int64_t offsets64[] = {0, 2, 4, 6, 8};
  const std::uint8_t there[] = {0b1011};
  const std::int32_t values[] = {99, 1, 2, 3, 4, 5, 6, 7, 8};
  for (const char* format : {"+l", "+L", "+w:2"}) {
    Producer arrow;
    // Rows 1 to 3 of the list, of which row 2 is missing; values begin at the second.
    std::vector<const void*> buffers{there};
    if (format[1] == 'l') buffers.push_back(offsets32);
    if (format[1] == 'L') buffers.push_back(offsets64);
    auto& list = arrow.column(format, "tags", 3, buffers, 1, 1);
    arrow.as_values_of(list, arrow.column("i", "item", 8, {nullptr, values}, 1));
    EXPECT_THAT(lists_of(arrow.table(3)),
                ElementsAre(ElementsAre("3", "4"), ElementsAre(), ElementsAre("7", "8")))
        << format;
  }
}

TEST(Arrow, ListsOfDictionariesAndOfNothing) {
  const std::int32_t offsets[] = {0, 2, 2};
  const std::int32_t text_offsets[] = {0, 1, 3};
  const std::uint8_t indices[] = {1, 0};
  Producer arrow;
  auto& list = arrow.column("+l", "tags", 2, {nullptr, offsets});
  arrow.column("u", "", 2, {nullptr, text_offsets, "xyy"});
  Producer::Column& dictionary = arrow.as_dictionary();
  Producer::Column& values = arrow.column("C", "item", 2, {nullptr, indices});
  values.schema.dictionary = &dictionary.schema;
  values.array.dictionary = &dictionary.array;
  arrow.as_values_of(list, values);
  EXPECT_THAT(lists_of(arrow.table(2)), ElementsAre(ElementsAre("yy", "x"), ElementsAre()));
}

TEST(Arrow, ListsOfListsAndOfTimesHaveNoText) {
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
  other.as_values_of(list, other.column("tsu:UTC", "item", 1, {nullptr, times}));
  EXPECT_THAT([&] { texts_of(other.table(1), 0); },
              ThrowsMessage<ConfigError>(
                  HasSubstr("column 'tags' has the Arrow type 'list<timestamp[us, tz=UTC]>'")));
}

TEST(Arrow, AColumnOfAnotherTypeIsAnErrorOnlyWhenItIsRead) {
  const std::int64_t times[] = {1};
  const std::int32_t numbers[] = {1};
  Producer arrow;
  arrow.column("tsu:UTC", "when", 1, {nullptr, times});
  arrow.column("i", "number", 1, {nullptr, numbers});
  const ColumnTable table = arrow.table(1);
  EXPECT_THAT(texts_of(table, 1), ElementsAre("1"));
  EXPECT_THAT(
      [&] { texts_of(table, 0); },
      ThrowsMessage<ConfigError>(HasSubstr("column 'when' has the Arrow type 'timestamp[us, tz=UTC]'")));
}

TEST(Arrow, TypesWithoutATextAreNamedAsTheirLibrariesNameThem) {
  const std::pair<const char*, const char*> formats[] = {
      {"tsn:", "timestamp[ns]"},
      {"tss:Europe/Oslo", "timestamp[s, tz=Europe/Oslo]"},
      {"tdD", "date32[day]"},
      {"ttu", "time64[us]"},
      {"tDm", "duration[ms]"},
      {"d:10,2", "decimal(10,2)"},
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

/// Metadata as the C data interface lays it out.
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

TEST(Arrow, Bool8IsBooleansAndJsonIsItsText) {
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

TEST(Arrow, OtherExtensionTypesAreRefusedByName) {
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

  // What is stored otherwise than its specification says is no better than what nobody knows.
  const std::string json = extension("arrow.json");
  Producer broken;
  broken.column("w:16", "x", 1, {nullptr, bytes}).schema.metadata = json.data();
  refused(broken, "extension<arrow.json>");
}

TEST(Arrow, MetadataOfANegativeLengthIsRefused) {
  const std::int8_t values[] = {1};
  for (std::string metadata :
       {std::string("\xff\xff\xff\xff", 4), extension("").replace(4, 4, "\xff\xff\xff\xff")}) {
    Producer arrow;
    arrow.column("c", "x", 1, {nullptr, values}).schema.metadata = metadata.data();
    EXPECT_THAT([&] { arrow.table(1); },
                ThrowsMessage<ShapeError>(HasSubstr("column 'x' of an Arrow table: metadata")));
  }
}

TEST(Arrow, FloatsOf16BitsAreTheShortestTextOfTheirSize) {
  const std::uint16_t values[] = {0x2E66, 0x4248, 0xC000, 0x7E00, 0x0001};
  Producer arrow;
  arrow.column("e", "h", 5, {nullptr, values});
  EXPECT_THAT(texts_of(arrow.table(5), 0), ElementsAre("0.1", "3.14", "-2", "", "6e-08"));
}

TEST(Arrow, ColumnsThatAreNotWantedAreKnownByTheirNames) {
  const std::int32_t values[] = {1};
  Producer arrow;
  for (const char* name : {"z", "a", "z"}) arrow.column("i", name, 1, {nullptr, values});
  ArrowArray array = arrow.batch(1);
  const ColumnTable table =
      arrow_table(arrow.schema(), array, [](std::string_view name) { return name == "a"; });
  EXPECT_THAT(table.names(), ElementsAre("a"));
  EXPECT_THAT(table.all_names(), ElementsAre("z", "a", "z"));
  EXPECT_THAT(texts_of(table, 0), ElementsAre("1"));
}

TEST(Arrow, TheBatchIsReleasedOnceWithTheLastTable) {
  const std::int32_t values[] = {1};
  Producer arrow;
  arrow.column("i", "a", 1, {nullptr, values});
  {
    const ColumnTable table = arrow.table(1);
    { const ColumnTable copy = table; }
    EXPECT_EQ(arrow.released, 0);
  }
  EXPECT_EQ(arrow.released, 1);
}

TEST(Arrow, WhatContradictsItselfIsRefusedAndReleased) {
  const std::int32_t falling[] = {0, 3, 2};
  const std::int32_t values[] = {1, 2};
  const std::uint8_t past_the_end[] = {5, 0};
  struct {
    std::int32_t length = 100;
    char prefix[4] = {};
    std::int32_t buffer = 0;
    std::int32_t offset = 0;
  } views[2];
  const std::int64_t data_bytes[] = {3};
  const auto refused = [](const auto& fill, const char* words) {
    Producer arrow;
    fill(arrow);
    EXPECT_THAT([&] { arrow.table(2); }, ThrowsMessage<ShapeError>(HasSubstr(words)));
    EXPECT_EQ(arrow.released, 1) << words;
  };
  refused(
      [&](Producer& a) {
        a.column("u", "x", 2, {nullptr, falling, "abc"});
      },
      "column 'x' of an Arrow table: the offsets");
  refused([&](Producer& a) { a.column("u", "x", 2, {nullptr, values}); }, "2 buffers, which is too few");
  refused([&](Producer& a) { a.column("i", "x", 1, {nullptr, values}); }, "1 rows where the batch has 2");
  refused(
      [&](Producer& a) {
        a.column("vu", "x", 2, {nullptr, views, "abc", data_bytes});
      },
      "the text of row 0 lies outside its buffers");
  refused(
      [&](Producer& a) {
        a.column("i", "", 2, {nullptr, values});
        Producer::Column& dictionary = a.as_dictionary();
        Producer::Column& column = a.column("C", "x", 2, {nullptr, past_the_end});
        column.schema.dictionary = &dictionary.schema;
        column.array.dictionary = &dictionary.array;
      },
      "row 0 names value 5 of a dictionary of 2");
  refused(
      [&](Producer& a) {
        a.column("i", "x", 2, {nullptr, values});
        a.column("i", "x", 2, {nullptr, values});
      },
      "two columns named 'x'");
}

TEST(Arrow, OnlyAStructOfColumnsIsATable) {
  Producer arrow;
  ArrowArray array = arrow.batch(0);
  EXPECT_THROW(arrow_table(arrow.schema("i"), array), ShapeError);
  EXPECT_EQ(arrow.released, 1);
}

/// A stream of `batches` record batches, and then the end or an error.
struct Stream {
  Producer arrow;
  int batches = 0;
  bool fails = false;
  int releases = 0;

  ArrowArrayStream make() {
    return {.get_schema =
                [](ArrowArrayStream* stream, ArrowSchema* out) {
                  *out = self(stream).arrow.schema();
                  return 0;
                },
            .get_next =
                [](ArrowArrayStream* stream, ArrowArray* out) {
                  Stream& made = self(stream);
                  if (made.batches == 0 && made.fails) return 5;
                  *out = made.batches == 0 ? ArrowArray{} : made.arrow.batch(1);
                  made.batches -= made.batches > 0 ? 1 : 0;
                  return 0;
                },
            .get_last_error = [](ArrowArrayStream*) { return "the wire broke"; },
            .release =
                [](ArrowArrayStream* stream) {
                  ++self(stream).releases;
                  stream->release = nullptr;
                },
            .private_data = this};
  }
  static Stream& self(ArrowArrayStream* stream) { return *static_cast<Stream*>(stream->private_data); }
};

TEST(ArrowReader, GivesEveryBatchAndThenNone) {
  const std::int32_t values[] = {1};
  Stream producer;
  producer.arrow.column("i", "a", 1, {nullptr, values});
  producer.batches = 2;
  {
    ArrowArrayStream stream = producer.make();
    ArrowReader reader(stream);
    EXPECT_EQ(stream.release, nullptr);
    EXPECT_EQ(reader.next()->num_rows(), 1u);
    EXPECT_EQ(reader.next()->num_rows(), 1u);
    EXPECT_FALSE(reader.next().has_value());
  }
  EXPECT_EQ(producer.releases, 1);
  EXPECT_EQ(producer.arrow.released, 2);
}

TEST(ArrowReader, WhatWasTakenOverBeforeIsRefused) {
  Stream producer;
  ArrowArrayStream stream = producer.make();
  { const ArrowReader reader(stream); }
  EXPECT_THAT([&] { ArrowReader again(stream); }, ThrowsMessage<ShapeError>(HasSubstr("read already")));
  EXPECT_EQ(producer.releases, 1);
  ArrowArray array = producer.arrow.batch(0);
  arrow_table(producer.arrow.schema(), array);
  EXPECT_THAT([&] { arrow_table(producer.arrow.schema(), array); },
              ThrowsMessage<ShapeError>(HasSubstr("taken over already")));
}

TEST(ArrowReader, AStreamThatFailsIsToldInItsOwnWords) {
  Stream producer;
  producer.fails = true;
  ArrowArrayStream stream = producer.make();
  ArrowReader reader(stream);
  EXPECT_THAT([&] { reader.next(); }, ThrowsMessage<DataError>(HasSubstr("the wire broke")));
}

}  // namespace
}  // namespace widehash
