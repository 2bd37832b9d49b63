#include <widehash/file.hpp>
#include <widehash/table_place.hpp>
#include <widehash/written_kind.hpp>

#include <filesystem>
#include <system_error>

namespace widehash {
namespace fs = std::filesystem;

WrittenKind written_kind(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored))
    return fs::exists(path, ignored) ? WrittenKind::model : WrittenKind::dataset;
  const bool has_tables = file_exists(path + "/tables.json") || TablePlace::is_unfinished(path) ||
                          file_exists(TablePlace::folder_in(path));
  if (!has_tables || file_exists(path + "/manifest.json") || file_exists(path + "/progress.jsonl"))
    return WrittenKind::dataset;
  for (const auto& entry : fs::directory_iterator(path, ignored)) {
    if (entry.path().extension() == ".shard") return WrittenKind::dataset;
  }
  return WrittenKind::tables;
}

}  // namespace widehash
