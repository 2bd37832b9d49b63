#include "arrow_column.hpp"
#include "chunked_column.hpp"

#include <widehash/arrow.hpp>
#include <widehash/error.hpp>

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace widehash {
namespace {

constexpr const char* source = "Arrow stream";

/// Takes over the given struct and releases it on destruction.
template <class Struct>
struct Owned {
  Struct value;

  explicit Owned(Struct& given) noexcept : value(std::exchange(given, Struct{})) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (value.release != nullptr) value.release(&value);
  }
};

/// Whether any row of a record batch is missing as a whole. A `null_count` of -1 means that it is unknown.
bool has_missing_rows(const ArrowArray& batch) {
  if (batch.null_count == 0 || batch.n_buffers == 0) return false;
  const Validity validity{static_cast<const std::uint8_t*>(batch.buffers[0]),
                          static_cast<std::size_t>(batch.offset)};
  if (validity.bits == nullptr) return false;
  for (std::size_t row = 0; row < static_cast<std::size_t>(batch.length); ++row) {
    if (!validity.has(row)) return true;
  }
  return false;
}

/// Takes over `array`, returns a column over it, and has `table` keep the array alive.
ValueColumnPointer kept_column(ColumnTable& table, const std::string& name, const ArrowSchema& schema,
                               ArrowArray& array) {
  const auto owner = std::make_shared<const Owned<ArrowArray>>(array);
  const ArrowArray& kept = owner->value;
  if (kept.release == nullptr) throw ShapeError("the Arrow array has already been consumed");
  table.keep(owner);
  return detail::arrow_column(schema, kept, {0, kept.length}, name);
}

}  // namespace

ColumnTable arrow_table(const ArrowSchema& schema, ArrowArray& array, const WantedColumns& wanted) {
  const auto owner = std::make_shared<const Owned<ArrowArray>>(array);
  const ArrowArray& batch = owner->value;
  if (batch.release == nullptr) throw ShapeError("the Arrow array has already been consumed");
  if (std::string_view(schema.format) != "+s" || schema.n_children != batch.n_children) {
    throw ShapeError("the Arrow array is not a record batch; pass a struct of columns");
  }
  if (batch.length < 0 || batch.offset < 0)
    throw ShapeError("the Arrow array has a negative length or offset");
  if (has_missing_rows(batch)) {
    throw ShapeError("the Arrow record batch has null rows (nulls of the struct itself)");
  }
  ColumnTable table;
  table.keep(owner);
  for (std::int64_t i = 0; i < batch.n_children; ++i) {
    const ArrowSchema& field = *schema.children[i];
    const std::string name = field.name == nullptr ? "" : field.name;
    if (wanted && !wanted(name)) {
      table.leave_out(name, static_cast<std::size_t>(batch.length));
      continue;
    }
    table.add(name, detail::arrow_column(field, *batch.children[i], {batch.offset, batch.length}, name));
  }
  return table;
}

void add_arrow_column(ColumnTable& table, const std::string& name, const ArrowSchema& schema,
                      ArrowArray& array) {
  table.add(name, kept_column(table, name, schema, array));
}

ArrowReader::ArrowReader(ArrowArrayStream& stream)
    : stream_(std::exchange(stream, ArrowArrayStream{})), schema_{} {
  if (stream_.release == nullptr) throw ShapeError("the Arrow stream has already been consumed");
  if (stream_.get_schema(&stream_, &schema_) == 0) return;
  const char* words = stream_.get_last_error(&stream_);
  const std::string text = words == nullptr ? "gives no schema" : words;
  stream_.release(&stream_);
  throw DataError(source, 0, text);
}

ArrowReader::~ArrowReader() {
  if (schema_.release != nullptr) schema_.release(&schema_);
  if (stream_.release != nullptr) stream_.release(&stream_);
}

bool ArrowReader::next_array(ArrowArray& array) {
  if (stream_.get_next(&stream_, &array) != 0) {
    const char* words = stream_.get_last_error(&stream_);
    throw DataError(source, 0, words == nullptr ? "failed without giving a reason" : words);
  }
  return array.release != nullptr;
}

std::optional<ColumnTable> ArrowReader::next(const WantedColumns& wanted) {
  ArrowArray array{};
  if (!next_array(array)) return std::nullopt;
  return arrow_table(schema_, array, wanted);
}

void ArrowReader::add_column(ColumnTable& table, const std::string& name) {
  std::vector<ValueColumnPointer> chunks;
  for (ArrowArray array{}; next_array(array); array = {}) {
    chunks.push_back(kept_column(table, name, schema_, array));
  }
  table.add(name, detail::chunked_column(std::move(chunks)));
}

}  // namespace widehash
