#pragma once

/// \file
/// Moves and removes files and reports it if the system refuses. Neither operation is flushed to disk: see
/// sync_directory().

#include <string>

namespace widehash {

/// Moves `from` to `to` in the same file system, replacing what is there in one step. Throws FileError.
void move_file(const std::string& from, const std::string& to);

/// Removes a file or an empty folder; returns false if there is none. Throws FileError.
bool remove_file(const std::string& path);

}  // namespace widehash
