#pragma once

/// \file
/// File names in datasets and sets of lookup tables (docs/formats.md).

#include <cstdint>
#include <string>
#include <string_view>

namespace widehash {

inline constexpr std::string_view schema_name = "schema.toml";
inline constexpr std::string_view rejected_name = "rejected.tsv";  // rows that were left out

inline constexpr std::string_view manifest_name = "manifest.json";
inline constexpr std::string_view journal_name = "progress.jsonl";

inline constexpr std::string_view table_list_name = "tables.json";
inline constexpr std::string_view fit_record_name = "fit.json";   // what the tables were made from
inline constexpr std::string_view tables_folder_name = "tables";  // where a dataset has its own tables

inline std::string in_folder(std::string_view folder, std::string_view name) {
  return std::string(folder).append("/").append(name);
}

/// "part-00000-000001.shard", for the second block of the first input.
std::string shard_name(std::uint64_t input, std::uint64_t block);
inline bool is_shard_name(std::string_view name) noexcept {
  return name.starts_with("part-") && name.ends_with(".shard");
}

/// The final name of a file that is written as "<name>.tmp"; returns other names unchanged.
constexpr std::string_view name_in_place(std::string_view name) noexcept {
  constexpr std::string_view aside = ".tmp";
  return name.substr(0, name.size() - (name.ends_with(aside) ? aside.size() : 0));
}

}  // namespace widehash
