#pragma once

/// \file
/// Tables in the memory of other libraries, without a copy: by the Arrow C data interface, which Arrow,
/// DuckDB, Polars, pandas and others speak. The three structs are laid out as its specification says
/// (https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html); the guards are those
/// it asks for, so that headers that define the same structs may be included too.

#include <widehash/column_table.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

extern "C" {

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

#endif

}  // extern "C"

namespace widehash {

/// Whether a column of that name is looked at; empty: all are.
using WantedColumns = std::function<bool(std::string_view name)>;

/// The `wanted` columns of a record batch: integers, also decimals without a fraction of up to 128 bits, dates,
/// timestamps without a zone or in UTC, floats of 16 to 64 bits, booleans, texts and binary of every layout, null,
/// dictionaries and lists of these; a missing value is the empty text. Of extension types arrow.bool8 is booleans and
/// arrow.json is its text. A column of another type (other times and decimals, structs, other extensions) may be
/// there too, and throws ConfigError naming it when it is read. The table knows the names of columns that are not
/// wanted. Takes `array` over: it is moved from, and released with the last copy of the table. `schema` is only read.
/// Throws ShapeError where it is not a struct of columns, or lengths and offsets in it contradict one another. Cost:
/// O(columns), and for texts and dictionaries O(rows).
ColumnTable arrow_table(const ArrowSchema& schema, ArrowArray& array, const WantedColumns& wanted = {});

/// Adds one array to `table` as its column `name`, of the types that arrow_table() takes and on its terms:
/// `array` is taken over.
void add_arrow_column(ColumnTable& table, const std::string& name, const ArrowSchema& schema,
                      ArrowArray& array);

/// The record batches of a stream, one after another.
class ArrowReader {
 public:
  /// Takes `stream` over. Throws ShapeError where somebody has before; DataError with the stream's own words
  /// where it fails.
  explicit ArrowReader(ArrowArrayStream& stream);
  ~ArrowReader();
  ArrowReader(const ArrowReader&) = delete;
  ArrowReader& operator=(const ArrowReader&) = delete;

  /// The next batch, as arrow_table() makes it; none at the end.
  std::optional<ColumnTable> next(const WantedColumns& wanted = {});

  /// Of a stream of arrays that are no record batches, such as a chunked array or a series: adds all that are
  /// to come to `table` as one column, as add_arrow_column() adds one.
  void add_column(ColumnTable& table, const std::string& name);

 private:
  /// False at the end.
  bool next_array(ArrowArray& array);

  ArrowArrayStream stream_;
  ArrowSchema schema_;
};

}  // namespace widehash
