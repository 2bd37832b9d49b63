#pragma once

/// \file
/// Decimals of Arrow that are integers: as databases export their widest ones, NUMBER(38, 0) and HUGEINT.

#include <widehash/value_column.hpp>

#include <cstddef>
#include <string_view>

namespace widehash::detail {

/// Values [begin, begin + length) of `values`. `format` is Arrow's, `d:precision,scale` with 128 bits to a
/// value or `d:precision,scale,bits`. Null where it has digits behind the point, so that a value has several
/// texts, and for more than 128 bits.
ValueColumnPointer whole_decimal_column(std::string_view format, const void* values, std::size_t begin,
                                        std::size_t length, Validity validity);

}  // namespace widehash::detail
