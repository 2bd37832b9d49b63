#pragma once

/// \file
/// A shard: the rows of one code batch on disk, as a section file of kind "shard". Sections (only those that
/// the layout has):
///
///     codes           u16[rows * code_stride]: for each row its 16-bit codes, then its 8-bit codes
///     columns         u32[rows * column_stride]
///     numbers         f32[rows * number_stride]
///     ragged_offsets  u64[rows + 1], positions in `runs` or `ragged`
///     runs            bytes: packed runs (docs/formats.md)
///     ragged          u32: columns; in the place of `runs`, in datasets of manifest versions 1 to 3
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

/// The kind in the file's head.
inline constexpr const char* shard_kind = "shard";

/// Writes `directory/file` atomically and returns its line of the manifest. Throws ShapeError if the lengths
/// of the arrays do not match the layout or there is no layout; FileError. Cost: one pass, and an fsync.
ManifestShard write_shard(const CodeBatchView& rows, const std::string& directory, const std::string& file);

/// A memory-mapped shard.
class Shard {
 public:
  /// Opens the shard, compares it with `expected` (its line of the manifest) and with the fingerprint of
  /// `layout`, and checks section sizes. With `verify`, reads every byte and checks the checksums and that
  /// every code and column is in range. Throws FileError, DataError or, for another fingerprint, ConfigError.
  Shard(const std::string& directory, const ManifestShard& expected, std::shared_ptr<const CodeLayout> layout,
        bool verify);

  /// From now on, rows have the weights defined in class_weights.hpp. `weighted` is the layout with
  /// has_weights set to true. Requires targets. Cost: a pass over them, and 4 bytes per row.
  void weigh_classes(std::span<const double> of_class, std::shared_ptr<const CodeLayout> weighted);

  /// The rows as they lie in the mapping, with packed runs, except for class weights. Valid while the shard lives.
  const CodeBatchView& view() const noexcept { return view_; }
  const MappedFile& mapping() const noexcept { return file_.mapping(); }

 private:
  SectionFile file_;
  std::shared_ptr<const CodeLayout> layout_;
  std::vector<float> weights_;  // class weights
  CodeBatchView view_;
};

}  // namespace widehash
