#pragma once

/// \file
/// `manifest.json`: what a dataset holds and where it came from. It contains nothing that differs between two
/// runs over the same inputs, such as times, threads or paths of the machine beyond the names of the inputs.

#include <widehash/code_layout.hpp>
#include <widehash/folds.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace widehash {

/// The newest version, written if rows have ragged runs, which are packed. Otherwise version 3 is written if only
/// some folds of the rows were written, and version 2 for all rows. All have codes of one byte where that is
/// enough. Version 1 has two bytes per code. It can be read, and so can versions 2 and 3 with runs of columns.
inline constexpr std::uint32_t manifest_major = 4;

struct ManifestInput {
  std::string path;
  std::uint64_t size_bytes = 0;
  std::uint64_t rows = 0;  // rows read: written, rejected, or of other folds
  std::uint64_t rejected_rows = 0;
  /// sample_checksum() of the input; 0 for a stream, or if it was not recorded.
  std::uint64_t sample = 0;
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
  std::string tables_fingerprint;           // "" if no encoding needed tables
  std::uint64_t schema_checksum = 0;        // of the text of schema.toml; 0 if it was not recorded
  std::vector<std::uint32_t> head_columns;  // E of each feature; 0 if it is not exact
  std::uint64_t num_columns = 0;
  CodeBytes code_bytes = CodeBytes::least;  // CodeLayout::code_bytes of the shards
  std::uint64_t block_bytes = 0;            // input bytes from which one shard was cut
  Folds folds = {};                         // whose rows were written
  std::vector<ManifestInput> inputs;
  std::vector<ManifestShard> shards;
  std::uint64_t rows = 0;  // written
  std::uint64_t rejected_rows = 0;
  std::uint64_t other_fold_rows = 0;  // skipped; 0 if all folds were written

  std::uint64_t rows_read() const noexcept { return rows + rejected_rows + other_fold_rows; }
  /// Size of all shards.
  std::uint64_t num_bytes() const noexcept;
};

/// Reads `directory/manifest.json`. Throws FileError; DataError if it is damaged (it carries a checksum of
/// itself), of an unknown major version, or if its totals do not add up.
Manifest load_manifest(const std::string& directory);
/// Writes `directory/manifest.json` atomically. Throws FileError; DataError, and writes nothing, if the
/// totals do not add up or a shard has an invalid name.
void write_manifest(const Manifest& manifest, const std::string& directory);

}  // namespace widehash
