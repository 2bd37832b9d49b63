#pragma once

/// \file
/// What a run reads, and the refusal to write over it: an output is put in place by a rename, so it would
/// replace an input without a word.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

struct ReadPlaces {
  std::vector<std::string> files = {};    // "-": standard input
  std::vector<std::string> folders = {};  // datasets and tables; empty texts stand for none
  std::vector<std::string> sources = {};  // that datasets were made from: worth more than these
};

/// Throws ConfigError where the file `output` is one of the files that are read, or one of the sources, under this
/// or another name (links included), or lies in one of the folders; the same for what stands beside it while it is
/// written (`.tmp`, `.lock`). Only regular files can be lost: a device or a pipe may be read and written. "-", the
/// standard output, is never refused.
void require_apart(const std::string& output, const ReadPlaces& read);

/// The same for a folder that is written to: throws ConfigError where it lies in a folder that is read or is
/// one, or where a file in it that a run like this writes, as `is_written` tells by its name, is one of the
/// files or sources.
void require_folder_apart(const std::string& output, const std::function<bool(std::string_view)>& is_written,
                          const ReadPlaces& read);

}  // namespace widehash
