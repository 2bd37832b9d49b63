#pragma once

/// \file
/// A shard: the rows of one code batch on disk, as a section file of kind "shard". Sections (only those the layout has):
///
///     codes           u16[rows * code_stride]: of each row its codes of 16 bits, then its codes of 8 bits
///     columns         u32[rows * column_stride]
///     numbers         f32[rows * number_stride]
///     ragged_offsets  u64[rows + 1]
///     ragged          u32
///     targets         f32[rows]
///     weights         f32[rows]
///
/// Metadata: {"rows", "schema_fingerprint", "tables_fingerprint"}.

#include <widehash/code_batch.hpp>
#include <widehash/manifest.hpp>
#include <widehash/section_file.hpp>

#include <memory>
#include <string>

namespace widehash {

/// The kind in the head of the file.
inline constexpr const char* shard_kind = "shard";

/// Which encoding made the rows: two shards can be read together exactly when these are equal.
struct EncodingFingerprint {
  std::string schema;
  std::string tables;  // "" where no encoding needed tables
  bool operator==(const EncodingFingerprint&) const = default;
};

/// Writes `directory/file` atomically and returns its line of the manifest.
ManifestShard write_shard(const CodeBatchView& rows, const EncodingFingerprint& fingerprint,
                          const std::string& directory, const std::string& file);

/// A mapped shard.
class Shard {
 public:
  /// Opens, compares with `expected` (its line of the manifest) and with the fingerprint, and checks section sizes.
  /// With `verify`, reads every byte: checksums, and that every code and column is in range. Throws DataError or, for
  /// another fingerprint, ConfigError.
  Shard(const std::string& directory, const ManifestShard& expected, const EncodingFingerprint& fingerprint,
        std::shared_ptr<const CodeLayout> layout, bool verify);

  /// The rows as they lie in the mapping; valid while the shard lives.
  const CodeBatchView& view() const noexcept { return view_; }
  const MappedFile& mapping() const noexcept { return file_.mapping(); }

 private:
  SectionFile file_;
  std::shared_ptr<const CodeLayout> layout_;
  CodeBatchView view_;
};

}  // namespace widehash
