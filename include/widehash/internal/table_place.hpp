#pragma once

/// \file
/// How a new set of lookup tables takes the place of an old one, which stays sound until the new one is
/// whole.
///
///     DIR/fit.tmp/     the new set while it is made; the old one in DIR is not touched
///     DIR/fit.ready/   the same when it is whole and on disk: one rename decides
///     DIR              its files, moved one by one; tables.json last, and then the folder is removed
///
/// A run killed before the rename leaves the old set as it was. One killed after it leaves files of both in
/// DIR: nobody reads them as a set (load_table_set() says so) until finish() has moved the rest.

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

  /// Puts the set in place; every file of it, tables.json too, must be in folder_in(directory). Files of
  /// `directory` named in `outdated` go where the new set has none of their name. Throws FileError.
  void commit(const std::vector<std::string>& outdated);

  /// Where the new set is made.
  static std::string folder_in(const std::string& directory) { return directory + "/fit.tmp"; }
  /// Whether a set is whole but not all in its place.
  static bool is_unfinished(const std::string& directory);
  /// Moves what is left of such a set; does nothing where there is none. Throws FileError.
  static void finish(const std::string& directory);

 private:
  std::string directory_;
  bool is_decided_ = false;
};

}  // namespace widehash
