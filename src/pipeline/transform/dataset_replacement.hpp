#pragma once

/// \file
/// Replaces a finished dataset with a new one. The old one stays sound until the new one is whole.
///
///     DIR/dataset.tmp/   the new dataset while it is made, with its journal; the old one in DIR is not touched
///     DIR                then its files, moved one by one: the old manifest goes first, the new one comes last
///
/// A run killed before the old manifest is removed leaves the old dataset as it was. A run killed later
/// leaves a folder without a manifest, which is never read as a dataset, and the whole new dataset on disk;
/// finish_replacement() moves the rest.

#include <string>

namespace widehash {

/// Returns the folder where the new dataset is made.
std::string replacement_folder(const std::string& directory);

/// Returns whether the folder holds a finished dataset, beside which a new one is to be made.
bool has_finished_dataset(const std::string& directory);

/// Puts the dataset that is whole in replacement_folder(directory) in place, and removes its journal.
/// Requires that the directory is locked. Throws FileError; finish_replacement() can then do the rest.
void replace_dataset(const std::string& directory);

/// Moves the rest of a dataset whose run was killed while putting it in place. Returns whether there was one.
/// Where its manifest is damaged, removes the dataset if `overwrite`, and otherwise throws DataError. Throws
/// FileError; ConfigError where the replacement folder is a link, since nothing is moved between file systems.
bool finish_replacement(const std::string& directory, bool overwrite);

/// Removes a dataset in the replacement folder, finished or not, that is not to be put in place.
void drop_replacement(const std::string& directory);

}  // namespace widehash
