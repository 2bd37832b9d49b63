#pragma once

/// \file
/// Reads tables that other libraries hold in memory, without copying them, through the Arrow C data
/// interface, which Arrow, DuckDB, Polars, pandas and others support. The three structs below follow its
/// specification (https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html). They
/// use the include guards that the specification prescribes, so other headers that define the same structs
/// can be included too.

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

/// Returns whether the column `name` is to be read. An empty function means that all columns are.
using WantedColumns = std::function<bool(std::string_view name)>;

/// Returns the `wanted` columns of a record batch. `array` is moved from and is released together with the
/// last copy of the table; `schema` is only read. The table also knows the names of the columns that are not
/// wanted.
///
/// Supported types: integers, decimals of up to 128 bits without a fraction, dates, timestamps that have no
/// zone or are in UTC, floats of 16 to 64 bits, booleans, text and binary in every layout, null, and
/// dictionaries and lists of these. A missing value is the empty text. Of the extension types, arrow.bool8 is
/// read as booleans and arrow.json as its text. A batch may contain columns of any other type (other times
/// and decimals, structs, other extensions); reading such a column throws ConfigError with its name.
///
/// Throws ShapeError if `array` is not a struct of columns, if it was already taken over, if rows are missing
/// as a whole, or if lengths and offsets in it contradict one another. Cost: O(columns), plus O(rows) for
/// texts and dictionaries.
ColumnTable arrow_table(const ArrowSchema& schema, ArrowArray& array, const WantedColumns& wanted = {});

/// Adds one array to `table` as the column `name`. Takes `array` over; supports the same types and throws the
/// same errors as arrow_table().
void add_arrow_column(ColumnTable& table, const std::string& name, const ArrowSchema& schema,
                      ArrowArray& array);

/// Reads the record batches of a stream one after another.
class ArrowReader {
 public:
  /// Takes `stream` over. Throws ShapeError if it was already taken over, and DataError with the stream's own
  /// message if the stream fails.
  explicit ArrowReader(ArrowArrayStream& stream);
  ~ArrowReader();
  ArrowReader(const ArrowReader&) = delete;
  ArrowReader& operator=(const ArrowReader&) = delete;

  /// Returns the next batch as arrow_table() does, or nothing at the end.
  std::optional<ColumnTable> next(const WantedColumns& wanted = {});

  /// For a stream of arrays that are not record batches, such as a chunked array or a series: adds all
  /// remaining arrays to `table` as one column, as add_arrow_column() does for one array.
  void add_column(ColumnTable& table, const std::string& name);

 private:
  /// Returns false at the end.
  bool next_array(ArrowArray& array);

  ArrowArrayStream stream_;
  ArrowSchema schema_;
};

}  // namespace widehash
