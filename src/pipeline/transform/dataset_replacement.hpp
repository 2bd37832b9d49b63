#pragma once

/// \file
/// How a new dataset takes the place of a finished one, which stays sound until the new one is whole.
///
///     DIR/dataset.tmp/   the new dataset while it is made, with its journal; the old one in DIR is not touched
///     DIR                then its files, moved one by one: the old manifest goes first, the new one comes last
///
/// A run killed before the old manifest is gone leaves the old dataset as it was. One killed after that
/// leaves a folder without a manifest, which nobody reads as a dataset, and all of the new one on disk:
/// finish_replacement() moves the rest.

#include <string>

namespace widehash {

/// Where the new dataset is made.
std::string replacement_folder(const std::string& directory);

/// Whether the folder holds a finished dataset, which a new one is to be made aside of.
bool has_finished_dataset(const std::string& directory);

/// Puts the dataset in place that is whole in replacement_folder(directory), and removes its journal.
/// Requires that the directory is locked. Throws FileError; then the rest is for finish_replacement().
void replace_dataset(const std::string& directory);

/// Moves what is left of a dataset that was being put in place when its run was killed. Returns whether there
/// was one. One whose manifest is damaged is removed with `overwrite`, and otherwise a DataError. Throws FileError;
/// ConfigError where the folder aside is a link, since nothing is moved between file systems.
bool finish_replacement(const std::string& directory, bool overwrite);

/// Removes a dataset, finished or not, that is not to be put in place.
void drop_replacement(const std::string& directory);

}  // namespace widehash
