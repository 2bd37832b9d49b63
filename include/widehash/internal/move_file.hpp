#pragma once

/// \file
/// Files moved and removed, told where the system refuses. Neither is flushed to disk: see sync_directory().

#include <string>

namespace widehash {

/// Puts `from` in the place of `to`, in the same file system; what is there is replaced in one step. Throws
/// FileError.
void move_file(const std::string& from, const std::string& to);

/// Removes a file or an empty folder; false where there is none. Throws FileError.
bool remove_file(const std::string& path);

}  // namespace widehash
