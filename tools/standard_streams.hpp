#pragma once

/// \file
/// The three descriptors that a program is normally started with, but may be started without.

namespace widehash::tools {

/// Makes sure that descriptors 0 to 2 are open. The next file opened would take the number of a closed one;
/// the lock of a run would then be read as its standard input, or results would be written into a shard.
/// Reading from a closed standard input and writing to a closed standard output still fail; what is written
/// to a closed standard error is lost.
void keep_standard_descriptors() noexcept;

}  // namespace widehash::tools
