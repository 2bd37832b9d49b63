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
  std::string linked_to = {};    // the path of one before it that is the same file by another name; "": none

  /// What messages call it: the path, or "standard input".
  std::string name() const { return path == "-" ? "standard input" : path; }
};

/// Expands globs (sorted by name) and checks that every path can be read. A path without glob characters must
/// exist. Throws FileError (missing, a folder, not readable) or ConfigError (none are given; a glob that matches
/// nothing or has `**`; an input given twice, under one spelling of its path or two, while links are other files;
/// "-" where the standard input is closed).
std::vector<Input> expand_inputs(const std::vector<std::string>& patterns);

/// A cheap sign of what is in a file, as it lies on disk: the checksum of the whole up to 1 MiB, otherwise of
/// 16 pieces of 64 KiB evenly spread, the first and the last bytes among them; a byte-order mark apart. 0 for
/// a stream. It tells most changes that keep a file's size, not all. Throws FileError.
std::uint64_t sample_checksum(const Input& input);

}  // namespace widehash
