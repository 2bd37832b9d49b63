#pragma once

/// \file
/// Shards, tables and models are read through mappings. What cannot be read any more behind one, of a file
/// that was cut meanwhile or on a disk that fails, reaches the process as SIGBUS.

namespace widehash::tools {

/// From here on such a read ends the process with exit_failed and a line on the standard error that names the
/// file, on Linux; nothing else is told apart from a kill: what was begun is not put in place.
void name_files_that_cannot_be_read() noexcept;

}  // namespace widehash::tools
