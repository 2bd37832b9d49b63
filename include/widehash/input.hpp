#pragma once

/// \file
/// The inputs of a run: files, globs and standard input, told apart by content.

#include <cstdint>
#include <string>
#include <vector>

namespace widehash {

enum class Compression { none, gzip, zstd };

struct Input {
  std::string path;              // "-": standard input
  std::uint64_t size_bytes = 0;  // as it lies on disk; 0 for standard input and pipes
  bool is_stream = false;        // cannot be read twice
};

/// Expands globs (sorted by name) and checks that every path can be read. A path without glob characters must
/// exist. Throws FileError (missing, a folder, not readable) or ConfigError (a glob that matches nothing, "-"
/// given twice).
std::vector<Input> expand_inputs(const std::vector<std::string>& patterns);

}  // namespace widehash
