#pragma once

/// \file
/// `manifest.json`: what a dataset holds and where it came from. It holds nothing that differs between two
/// runs over the same inputs, such as times, threads or paths of the machine beyond the inputs' names.

#include <widehash/code_layout.hpp>
#include <widehash/folds.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace widehash {

/// The newest version there is: with codes of one byte where that is enough, and of some folds of the inputs' rows.
/// Written where there are such; of all rows it is version 2. Version 1, with two bytes a code, is read too.
inline constexpr std::uint32_t manifest_major = 3;

struct ManifestInput {
  std::string path;
  std::uint64_t size_bytes = 0;
  std::uint64_t rows = 0;  // rows read: written, rejected, and those of other folds
  std::uint64_t rejected_rows = 0;
  std::uint64_t sample = 0;  // sample_checksum() of the input; 0 for a stream, and where it was not recorded
  std::uint64_t other_fold_rows = 0;
};

struct ManifestShard {
  std::string file;  // within the dataset's folder
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;     // size of the file
  std::uint64_t checksum = 0;  // SectionFile::footer_checksum()

  bool operator==(const ManifestShard&) const = default;
};

struct Manifest {
  std::string schema_fingerprint;
  std::string tables_fingerprint;           // "" where no encoding needed tables
  std::uint64_t schema_checksum = 0;        // of the text of schema.toml; 0 where it was not recorded
  std::vector<std::uint32_t> head_columns;  // per feature: E of exact
  std::uint64_t num_columns = 0;
  CodeBytes code_bytes = CodeBytes::least;  // of the shards; `two` is what makes a manifest one of version 1
  std::uint64_t block_bytes = 0;            // input bytes a shard was cut from
  Folds folds = {};                         // whose rows were written
  std::vector<ManifestInput> inputs;
  std::vector<ManifestShard> shards;
  std::uint64_t rows = 0;  // written
  std::uint64_t rejected_rows = 0;
  std::uint64_t other_fold_rows = 0;  // passed over; 0 where all folds were written

  std::uint64_t rows_read() const noexcept { return rows + rejected_rows + other_fold_rows; }
  /// Of all shards.
  std::uint64_t num_bytes() const noexcept;
};

/// Reads `directory/manifest.json`. Throws FileError; DataError where it is damaged (it carries a checksum of
/// itself), is of another major version, or its totals do not add up.
Manifest load_manifest(const std::string& directory);
/// Writes it atomically. Throws DataError, and writes nothing, where its totals do not add up or a shard's
/// name is none; FileError.
void write_manifest(const Manifest& manifest, const std::string& directory);

}  // namespace widehash
