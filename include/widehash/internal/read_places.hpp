#pragma once

/// \file
/// What a run reads, and the check that it does not overwrite it: an output is put in place by a rename,
/// which would silently replace an input.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

struct ReadPlaces {
  std::vector<std::string> files = {};    // "-": standard input
  std::vector<std::string> folders = {};  // datasets and tables; empty texts are ignored
  std::vector<std::string> sources = {};  // what datasets were made from: worth more than the datasets
};

/// Throws ConfigError if the file `output` is one of the files or sources, under this or another name (links
/// included), or lies in one of the folders. The same applies to the files beside it while it is written
/// (`.tmp`, `.lock`). Only regular files can be lost: a device or a pipe may be both read and written. "-",
/// the standard output, is never refused.
void require_apart(const std::string& output, const ReadPlaces& read);

/// The same for a folder that is written to: throws ConfigError if it is a folder that is read or lies in
/// one, or if one of its files is among the files or sources and such a run may write it. `is_written` says
/// so by the file's name.
void require_folder_apart(const std::string& output, const std::function<bool(std::string_view)>& is_written,
                          const ReadPlaces& read);

}  // namespace widehash
