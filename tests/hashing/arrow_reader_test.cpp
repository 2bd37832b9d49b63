#include "arrow_kit.hpp"

#include <widehash/error.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using test::lists_of;
using test::Producer;
using test::texts_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(ArrowTable, ColumnsThatAreNotWantedAreKnownByTheirNames) {
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

TEST(ArrowTable, TheBatchIsReleasedOnceWithTheLastTable) {
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

TEST(ArrowTable, WhatContradictsItselfIsRefusedAndReleased) {
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
  refused([&](Producer& a) { a.column("u", "x", 2, {nullptr, values}); }, "2 buffers, too few");
  refused([&](Producer& a) { a.column("i", "x", 1, {nullptr, values}); }, "1 rows, but the batch has 2");
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
      "row 0 has index 5, but its dictionary has 2 values");
  refused(
      [&](Producer& a) {
        a.column("i", "x", 2, {nullptr, values});
        a.column("i", "x", 2, {nullptr, values});
      },
      "two columns named 'x'");
}

TEST(ArrowTable, OnlyAStructOfColumnsIsATable) {
  Producer arrow;
  ArrowArray array = arrow.batch(0);
  EXPECT_THROW(arrow_table(arrow.schema("i"), array), ShapeError);
  EXPECT_EQ(arrow.released, 1);
}

/// A hand-made stream that yields what its two functions return.
struct Stream {
  std::function<ArrowSchema()> schema;
  std::function<bool(ArrowArray&)> next;  // false if it fails; an array without release ends the stream
  int releases = 0;

  ArrowArrayStream make() {
    return {
        .get_schema =
            [](ArrowArrayStream* stream, ArrowSchema* out) {
              *out = self(stream).schema();
              return 0;
            },
        .get_next = [](ArrowArrayStream* stream, ArrowArray* out) { return self(stream).next(*out) ? 0 : 5; },
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

/// A stream of `count` record batches of one row each.
Stream batches_of(Producer& arrow, int count) {
  return {[&arrow] { return arrow.schema(); },
          [&arrow, count](ArrowArray& out) mutable {
            out = count == 0 ? ArrowArray{} : arrow.batch(1);
            count -= count > 0 ? 1 : 0;
            return true;
          }};
}

/// A stream of arrays that are no record batches, all of the type of the first.
Stream arrays_of(std::vector<Producer::Column*> chunks) {
  const ArrowSchema schema = chunks.front()->schema;
  return {[schema] { return schema; },
          [chunks = std::move(chunks), given = std::size_t{0}](ArrowArray& out) mutable {
            out = given == chunks.size() ? ArrowArray{} : chunks[given++]->array;
            return true;
          }};
}

TEST(ArrowReader, GivesEveryBatchAndThenNone) {
  const std::int32_t values[] = {1};
  Producer arrow;
  arrow.column("i", "a", 1, {nullptr, values});
  Stream producer = batches_of(arrow, 2);
  {
    ArrowArrayStream stream = producer.make();
    ArrowReader reader(stream);
    EXPECT_EQ(stream.release, nullptr);
    EXPECT_EQ(reader.next()->num_rows(), 1u);
    EXPECT_EQ(reader.next()->num_rows(), 1u);
    EXPECT_FALSE(reader.next().has_value());
  }
  EXPECT_EQ(producer.releases, 1);
  EXPECT_EQ(arrow.released, 2);
}

TEST(ArrowReader, WhatWasTakenOverBeforeIsRefused) {
  Producer arrow;
  Stream producer = batches_of(arrow, 0);
  ArrowArrayStream stream = producer.make();
  { const ArrowReader reader(stream); }
  EXPECT_THAT([&] { ArrowReader again(stream); },
              ThrowsMessage<ShapeError>(HasSubstr("already been consumed")));
  EXPECT_EQ(producer.releases, 1);
  ArrowArray array = arrow.batch(0);
  arrow_table(arrow.schema(), array);
  EXPECT_THAT([&] { arrow_table(arrow.schema(), array); },
              ThrowsMessage<ShapeError>(HasSubstr("already been consumed")));
}

TEST(ArrowReader, AFailedStreamIsReportedInItsOwnWords) {
  Producer arrow;
  Stream producer{[&] { return arrow.schema(); }, [](ArrowArray&) { return false; }};
  ArrowArrayStream stream = producer.make();
  ArrowReader reader(stream);
  EXPECT_THAT([&] { reader.next(); }, ThrowsMessage<DataError>(HasSubstr("the wire broke")));
}

TEST(ArrowReader, AStreamOfArraysIsOneColumn) {
  const std::int32_t values[] = {1, 2, 3, 4, 5, 6};
  const std::uint8_t there[] = {0b01};
  Producer arrow;
  Stream producer = arrays_of(
      {&arrow.column("i", "", 2, {nullptr, values}), &arrow.column("i", "", 0, {nullptr, nullptr}),
       &arrow.column("i", "", 3, {nullptr, values}, 2), &arrow.column("i", "", 2, {there, values}, 0, 1)});
  ArrowArrayStream stream = producer.make();
  ColumnTable table;
  ArrowReader(stream).add_column(table, "a");
  EXPECT_THAT(table.names(), ElementsAre("a"));
  EXPECT_THAT(texts_of(table, 0), ElementsAre("1", "2", "3", "4", "5", "1", ""));
  TextRoom room;
  std::string_view texts[3];
  table.column(0).read(1, 3, texts, 1, room);
  EXPECT_THAT(texts, ElementsAre("2", "3", "4"));
}

TEST(ArrowReader, AStreamOfListsIsOneColumnOfLists) {
  const std::int32_t offsets[] = {0, 2, 3};
  const float values[] = {0.1F, 2, 9.99F};
  Producer arrow;
  std::vector<Producer::Column*> chunks;
  for (int chunk = 0; chunk < 2; ++chunk) {
    auto& list = arrow.column("+l", "", 2 - chunk, {nullptr, offsets}, chunk);
    arrow.as_values_of(list, arrow.column("f", "item", 3, {nullptr, values}));
    chunks.push_back(&list);
  }
  Stream producer = arrays_of(std::move(chunks));
  ArrowArrayStream stream = producer.make();
  ColumnTable table;
  ArrowReader(stream).add_column(table, "tags");
  EXPECT_TRUE(table.column(0).is_list());
  EXPECT_THAT(lists_of(table),
              ElementsAre(ElementsAre("0.1", "2"), ElementsAre("9.99"), ElementsAre("9.99")));
}

TEST(ArrowReader, AStreamWithoutArraysIsAColumnWithoutRows) {
  Producer arrow;
  Stream producer = arrays_of({&arrow.column("i", "", 0, {nullptr, nullptr})});
  producer.next = [](ArrowArray& out) {
    out = {};
    return true;
  };
  ArrowArrayStream stream = producer.make();
  ColumnTable table;
  ArrowReader(stream).add_column(table, "a");
  EXPECT_EQ(table.num_rows(), 0u);
  EXPECT_THAT(table.names(), ElementsAre("a"));
}

TEST(ArrowColumn, OneArrayIsTakenOverOrRefusedByName) {
  const std::int64_t values[] = {7, 8};
  Producer arrow;
  Producer::Column& numbers = arrow.column("l", "", 2, {nullptr, values});
  ColumnTable table;
  add_arrow_column(table, "a", numbers.schema, numbers.array);
  EXPECT_EQ(numbers.array.release, nullptr);
  EXPECT_THAT(texts_of(table, 0), ElementsAre("7", "8"));
  EXPECT_THAT([&] { add_arrow_column(table, "b", numbers.schema, numbers.array); },
              ThrowsMessage<ShapeError>(HasSubstr("already been consumed")));
  Producer::Column& times = arrow.column("tDu", "", 2, {nullptr, values});
  add_arrow_column(table, "when", times.schema, times.array);
  EXPECT_THAT([&] { texts_of(table, 1); },
              ThrowsMessage<ConfigError>(HasSubstr("column 'when' has the Arrow type 'duration[us]'")));
}

}  // namespace
}  // namespace widehash
