#pragma once

/// \file
/// Dialects and numbers of fields, chosen by the first bytes of an input.

#include "fuzz_bytes.hpp"

#include <widehash/dialect.hpp>

#include <cstddef>
#include <string_view>

namespace widehash::fuzz {

struct TableShape {
  Dialect dialect;
  std::size_t num_fields = 1;
  bool has_header = false;
};

inline TableShape take_shape(FuzzBytes& input) {
  constexpr std::string_view delimiters = "\t,;| \x01x";
  constexpr std::string_view quotes("\0\"'\0", 4);
  const unsigned choice = input.byte();
  const unsigned more = input.byte();
  TableShape shape;
  shape.dialect.delimiter = delimiters[choice % delimiters.size()];
  shape.dialect.quote = quotes[more % quotes.size()];
  shape.dialect.trim = (more & 4) != 0;
  shape.has_header = (more & 8) != 0;
  shape.dialect.max_field_bytes = (more & 16) != 0 ? 20 : 1 << 20;
  shape.num_fields = 1 + input.byte() % 70;
  return shape;
}

}  // namespace widehash::fuzz
