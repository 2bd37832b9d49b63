#pragma once

/// \file
/// The three descriptors that a program is started with, and may be started without.

namespace widehash::tools {

/// Makes sure that descriptors 0 to 2 are open: a closed one would be taken by the next file that is opened,
/// and then the lock of a run would be read as its standard input, or results be written into a shard.
/// Reading from a closed standard input and writing to a closed standard output fail as before; what is said
/// on a closed standard error is lost.
void keep_standard_descriptors() noexcept;

}  // namespace widehash::tools
