#pragma once

/// \file
/// The inputs of a run: files, globs and standard input. Compression is detected from the content.

#include <cstdint>
#include <string>
#include <vector>

namespace widehash {

enum class Compression { none, gzip, zstd };

struct Input {
  std::string path;              // "-": standard input
  std::uint64_t size_bytes = 0;  // as on disk; 0 for standard input and pipes
  bool is_stream = false;        // cannot be read twice
  /// Path of an earlier input that is the same file under another name; "": none.
  std::string linked_to = {};

  /// The name used in messages: the path, or "standard input".
  std::string name() const { return path == "-" ? "standard input" : path; }
};

/// Expands globs (sorted by name) and checks that every path can be read. A path without glob characters must
/// exist. Throws FileError if a path is missing, a folder, or not readable. Throws ConfigError if no inputs
/// are given, if a glob matches nothing or contains `**`, if an input is given twice, spelled the same way or
/// not (links count as other files), or if "-" is given while the standard input is closed.
std::vector<Input> expand_inputs(const std::vector<std::string>& patterns);

/// A cheap check value of the bytes of a file as on disk, without a byte-order mark: the checksum of the
/// whole file up to 1 MiB, otherwise of 16 evenly spread pieces of 64 KiB, including the first and the last
/// bytes. 0 for a stream. It detects most changes that keep the size of a file, but not all. Throws
/// FileError.
std::uint64_t sample_checksum(const Input& input);

}  // namespace widehash
