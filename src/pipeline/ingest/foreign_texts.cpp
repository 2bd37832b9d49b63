#include "foreign_texts.hpp"

#include "rejected_rows.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/file_names.hpp>

#include <fmt/format.h>

namespace widehash {

void refuse_foreign_texts(const std::string& directory, std::string_view schema_toml) {
  const auto refuse_unless = [&](std::string_view name, const auto& is_ours) {
    const std::string path = in_folder(directory, name);
    if (!file_exists(path) || is_ours(path)) return;
    throw ConfigError(
        fmt::format("{}: would be overwritten, but belongs to nothing that widehash wrote there; choose "
                    "another folder, or give --overwrite",
                    path));
  };
  refuse_unless(schema_name, [&](const std::string& path) {
    return file_size_bytes(path) == schema_toml.size() && read_text_file(path) == schema_toml;
  });
  refuse_unless(rejected_name, is_rejected_list);
}

}  // namespace widehash
