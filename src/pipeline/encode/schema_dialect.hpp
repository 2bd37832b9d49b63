#pragma once

/// \file
/// Converts a schema's description of the text format to an io dialect.

#include <widehash/dialect.hpp>
#include <widehash/schema.hpp>

namespace widehash {

inline Dialect dialect_of(const Schema& schema) {
  return {schema.delimiter, schema.quote, schema.trim, schema.max_field_bytes};
}

}  // namespace widehash
