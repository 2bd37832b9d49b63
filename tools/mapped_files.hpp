#pragma once

/// \file
/// Shards, tables and models are read through memory mappings. If a mapped file can no longer be read,
/// because it was truncated in the meantime or its disk fails, the process receives SIGBUS.

namespace widehash::tools {

/// On Linux, makes such a read end the process with exit_failed and a line on standard error that names the
/// file, from this call on. In every other respect this is like a kill: unfinished output is not put in
/// place.
void name_files_that_cannot_be_read() noexcept;

}  // namespace widehash::tools
