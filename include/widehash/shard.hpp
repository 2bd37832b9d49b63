#pragma once

/// \file
/// A shard: the rows of one code batch on disk, as a section file of kind "shard". Sections (only those the
/// layout has):
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
#include <widehash/internal/section_file.hpp>
#include <widehash/manifest.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace widehash {

/// The kind in the head of the file.
inline constexpr const char* shard_kind = "shard";

/// Writes `directory/file` atomically and returns its line of the manifest. Throws ShapeError where arrays
/// are not as long as the layout says, or there is none; FileError. Cost: one pass, and an fsync.
ManifestShard write_shard(const CodeBatchView& rows, const std::string& directory, const std::string& file);

/// A mapped shard.
class Shard {
 public:
  /// Opens, compares with `expected` (its line of the manifest) and with the fingerprint of `layout`, and
  /// checks section sizes. With `verify`, reads every byte: checksums, and that every code and column is in
  /// range. Throws FileError, DataError or, for another fingerprint, ConfigError.
  Shard(const std::string& directory, const ManifestShard& expected, std::shared_ptr<const CodeLayout> layout,
        bool verify);

  /// From here on rows weigh what class_weights.hpp says. `weighted` is the layout but for has_weights, which is true.
  /// Requires targets. Cost: a pass over them, and 4 bytes a row.
  void weigh_classes(std::span<const double> of_class, std::shared_ptr<const CodeLayout> weighted);

  /// The rows as they lie in the mapping, apart from weights by their classes; valid while the shard lives.
  const CodeBatchView& view() const noexcept { return view_; }
  const MappedFile& mapping() const noexcept { return file_.mapping(); }

 private:
  SectionFile file_;
  std::shared_ptr<const CodeLayout> layout_;
  std::vector<float> weights_;  // by classes
  CodeBatchView view_;
};

}  // namespace widehash
