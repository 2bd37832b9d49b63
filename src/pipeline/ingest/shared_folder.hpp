#pragma once

/// \file
/// The folder that the ranks of a run write to together: rank 0 locks it, the others are members.

#include "made_folder.hpp"

#include <widehash/communicator.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/shared_text.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace widehash {

class SharedFolder {
 public:
  /// Makes and locks the folder. A folder that it made is removed at the end if it is empty, by whichever rank
  /// leaves last. Throws FileError; ConfigError where another run writes there, or where a rank does not see
  /// rank 0's folder under this path.
  SharedFolder(Communicator& communicator, const std::string& directory) : communicator_(communicator) {
    std::string mark;
    std::string made;
    if (communicator.rank() == 0) {
      made_.emplace(directory);
      lock_.emplace(directory);
      mark = lock_->mark();
      for (const std::string& folder : made_->made()) made += folder + '\0';
    }
    share_text(communicator, mark);
    share_text(communicator, made);
    if (communicator.rank() != 0) {
      member_.emplace(directory, mark);
      std::vector<std::string> folders;
      for (std::size_t begin = 0; begin < made.size(); begin += folders.back().size() + 1)
        folders.emplace_back(made.c_str() + begin);
      made_.emplace(std::move(folders));
    }
    // No rank writes before all have found the folder.
    communicator.barrier();
  }
  /// Must be called by every rank when its work is done; may be left out after a failure.
  void leave() {
    member_.reset();
    communicator_.barrier();
    lock_.reset();
  }

 private:
  Communicator& communicator_;
  std::optional<MadeFolder> made_;  // removed after everything in it
  std::optional<DirectoryLock> lock_;
  std::optional<DirectoryMember> member_;
};

}  // namespace widehash
