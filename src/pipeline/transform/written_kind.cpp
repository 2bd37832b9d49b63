#include <widehash/internal/file.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/internal/table_place.hpp>
#include <widehash/written_kind.hpp>

namespace widehash {

WrittenKind written_kind(const std::string& path) {
  if (!is_folder(path)) return file_exists(path) ? WrittenKind::model : WrittenKind::dataset;
  const bool has_tables = file_exists(in_folder(path, table_list_name)) || TablePlace::is_unfinished(path) ||
                          file_exists(TablePlace::folder_in(path));
  if (!has_tables || file_exists(in_folder(path, manifest_name)) ||
      file_exists(in_folder(path, journal_name)))
    return WrittenKind::dataset;
  for (const std::string& name : list_directory(path)) {
    if (is_shard_name(name)) return WrittenKind::dataset;
  }
  return WrittenKind::tables;
}

}  // namespace widehash
