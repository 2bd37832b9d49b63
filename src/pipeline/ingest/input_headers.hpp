#pragma once

/// \file
/// Checks the beginning of every input before any work is done, so that a problem in the last of many files
/// is reported at once and not after hours of work.

#include "run_inputs.hpp"

namespace widehash {

/// Opens every input, several at a time, and binds its header to the schema as InputReader does. Inputs that
/// can be read only once are left for their turn. Throws what InputReader throws for the first unusable input
/// in the order of the inputs. Where that is an empty file that needs a header, throws DataError with the
/// number of such files and the names of the first of them. Cost: some kilobytes of each file, compressed
/// files included.
void require_headers(const RunInputs& run);

}  // namespace widehash
