#pragma once

/// \file
/// A column of an Arrow record batch as a ValueColumn.

#include <widehash/arrow.hpp>
#include <widehash/value_column.hpp>

#include <cstdint>
#include <string>

namespace widehash::detail {

/// The rows of a record batch, as a range within its columns.
struct ArrowRows {
  std::int64_t offset = 0;
  std::int64_t length = 0;
};

/// Returns a view of the memory of `array`. Throws ShapeError, naming the column `name`, if `array` is
/// inconsistent. A column of a type without text throws ConfigError when it is read.
ValueColumnPointer arrow_column(const ArrowSchema& field, const ArrowArray& array, ArrowRows rows,
                                const std::string& name);

}  // namespace widehash::detail
