#pragma once

/// \file
/// Hand-made Arrow structs, and access to the contents of the tables made from them.

#include <widehash/arrow.hpp>
#include <widehash/internal/value_list.hpp>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace widehash::test {

/// Hand-made arrays. The producer owns their structs; `released` counts the releases of record batches.
class Producer {
 public:
  struct Column {
    ArrowSchema schema{};
    ArrowArray array{};
  };

  /// The caller owns the buffers. A null buffer stands for an absent validity bitmap.
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
  /// Removes the last column from the batch, to be used as the dictionary of another column.
  Column& as_dictionary() {
    children_schemas_.pop_back();
    children_arrays_.pop_back();
    return columns_.back();
  }
  /// Removes the last column, `values`, from the batch and makes it the only child of `list`.
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

inline std::vector<std::string> texts_of(const ColumnTable& table, std::size_t position) {
  TextRoom room;
  std::vector<std::string_view> texts(table.num_rows());
  table.column(position).read(0, texts.size(), texts.data(), 1, room);
  return {texts.begin(), texts.end()};
}

inline std::vector<std::vector<std::string>> lists_of(const ColumnTable& table) {
  TextRoom room;
  std::vector<std::string_view> texts(table.num_rows());
  table.column(0).read_lists(0, texts.size(), texts.data(), 1, room);
  std::vector<std::vector<std::string>> lists(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for_each_listed(texts[i], [&](std::string_view value) { lists[i].emplace_back(value); });
  }
  return lists;
}

}  // namespace widehash::test
