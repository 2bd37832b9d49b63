#pragma once

/// \file
/// Arrow decimals that are integers. Databases export their widest integers like this: NUMBER(38, 0),
/// HUGEINT.

#include <widehash/value_column.hpp>

#include <cstddef>
#include <string_view>

namespace widehash::detail {

/// Returns values [begin, begin + length) of `values` as a column. `format` is Arrow's: `d:precision,scale`
/// for 128-bit values, or `d:precision,scale,bits`. Returns null if the values have digits after the decimal
/// point, because a value then has several texts, or if they have more than 128 bits.
ValueColumnPointer whole_decimal_column(std::string_view format, const void* values, std::size_t begin,
                                        std::size_t length, Validity validity);

}  // namespace widehash::detail
