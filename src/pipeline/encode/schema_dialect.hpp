#pragma once

/// \file
/// What a schema says of bytes, in the words of io.

#include <widehash/dialect.hpp>
#include <widehash/schema.hpp>

namespace widehash {

inline Dialect dialect_of(const Schema& schema) {
  return {schema.delimiter, schema.quote, schema.trim, schema.max_field_bytes};
}

}  // namespace widehash
