#pragma once

/// \file
/// A look at the beginning of every input before any work is done: what is wrong with the last of many files
/// is then told at once, and not when hours of work stand before it.

#include "run_inputs.hpp"

namespace widehash {

/// Opens every input, several at a time, and binds its header to the schema as InputReader does; inputs that
/// can be read only once are left for their turn. Throws what InputReader throws, for the first in the order
/// of the inputs that cannot be used; where that is an empty file that needs a header, DataError with the
/// number of such files and the first of them. Cost: some kilobytes of each file, of compressed ones too.
void require_headers(const RunInputs& run);

}  // namespace widehash
