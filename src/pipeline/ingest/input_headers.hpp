#pragma once

/// \file
/// A look at the beginning of every input before any work is done: what is wrong with the last of many files
/// is then told at once, and not when hours of work stand before it.

#include "encode/row_rules.hpp"

#include <widehash/input.hpp>
#include <widehash/schema.hpp>

#include <vector>

namespace widehash {

/// Opens every input, several at a time, and binds its header to the schema as InputReader does; inputs that
/// can be read only once are left for their turn. Throws what InputReader throws, for the first in the order
/// of the inputs that cannot be used: FileError, DataError (an empty file that needs a header), ConfigError
/// (a field that is not there). Cost: some kilobytes of each file, of compressed ones too.
void require_headers(const Schema& schema, const RowRules& rules, const std::vector<Input>& inputs,
                     bool needs_label);

}  // namespace widehash
