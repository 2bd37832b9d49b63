#pragma once

/// \file
/// How a new set of lookup tables replaces an old one, which stays intact until the new one is complete.
///
///     DIR/fit.tmp/     the new set while it is made; the old one in DIR is not touched
///     DIR/fit.ready/   the new set once it is complete and on disk: one rename decides
///     DIR              its files, moved one by one, tables.json last; then the folder is removed
///
/// A run killed before the rename leaves the old set as it was. One killed after it leaves files of both sets
/// in DIR, which are not read as a set (load_table_set() reports it) until finish() has moved the rest.

#include <string>
#include <vector>

namespace widehash {

class TablePlace {
 public:
  /// Makes `directory`/fit.tmp, empty. Requires that the directory is locked and nothing in it waits for
  /// finish().
  explicit TablePlace(std::string directory);
  /// Removes a set that was not put in place.
  ~TablePlace();
  TablePlace(const TablePlace&) = delete;
  TablePlace& operator=(const TablePlace&) = delete;

  /// Puts the set in place; all its files, including tables.json, must be in folder_in(directory). Files of
  /// `directory` named in `outdated` are removed unless the new set has a file of that name. Throws
  /// FileError.
  void commit(const std::vector<std::string>& outdated);

  /// Where the new set is made.
  static std::string folder_in(const std::string& directory) { return directory + "/fit.tmp"; }
  /// Whether a set is complete but not all of it is in place.
  static bool is_unfinished(const std::string& directory);
  /// Moves what is left of such a set; does nothing if there is none. Throws FileError.
  static void finish(const std::string& directory);

 private:
  std::string directory_;
  bool is_decided_ = false;
};

}  // namespace widehash
