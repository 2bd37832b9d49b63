#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/internal/move_file.hpp>
#include <widehash/internal/table_place.hpp>

#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace widehash {
namespace fs = std::filesystem;
namespace {

// A file with this ending means that the file without it is to be removed. The folder's contents alone say
// what remains to be done.
constexpr std::string_view gone = ".gone";

std::string ready_in(const std::string& directory) { return directory + "/fit.ready"; }

}  // namespace

TablePlace::TablePlace(std::string directory) : directory_(std::move(directory)) {
  std::error_code failure;
  fs::remove_all(folder_in(directory_), failure);
  if (failure) throw FileError(folder_in(directory_), "cannot remove", failure.value());
  make_directories(folder_in(directory_));
}

TablePlace::~TablePlace() {
  if (is_decided_) return;
  std::error_code ignored;
  fs::remove_all(folder_in(directory_), ignored);
}

void TablePlace::commit(const std::vector<std::string>& outdated) {
  const std::string folder = folder_in(directory_);
  for (const std::string& name : outdated) {
    const std::string path = in_folder(folder, name);
    if (!file_exists(path)) write_text_file(path + std::string(gone), "");
  }
  move_file(folder, ready_in(directory_));
  is_decided_ = true;
  sync_directory(directory_);
  finish(directory_);
}

bool TablePlace::is_unfinished(const std::string& directory) { return file_exists(ready_in(directory)); }

void TablePlace::finish(const std::string& directory) {
  if (!is_unfinished(directory)) return;
  const std::string ready = ready_in(directory);
  // The list is moved last, so if it is no longer here, the whole set is in place.
  if (file_exists(in_folder(ready, table_list_name))) {
    for (const std::string& name : list_directory(ready)) {
      if (name == table_list_name) continue;
      if (name.ends_with(gone)) {
        remove_file(in_folder(directory, name.substr(0, name.size() - gone.size())));
      } else {
        move_file(in_folder(ready, name), in_folder(directory, name));
      }
    }
    sync_directory(directory);
    move_file(in_folder(ready, table_list_name), in_folder(directory, table_list_name));
    sync_directory(directory);
  }
  std::error_code failure;
  fs::remove_all(ready, failure);
  if (failure) throw FileError(ready, "cannot remove", failure.value());
  sync_directory(directory);
}

}  // namespace widehash
