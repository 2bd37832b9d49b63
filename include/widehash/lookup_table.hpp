#pragma once

/// \file
/// A lookup table: every distinct value of a feature, with its hash, its code and how often it was seen.
/// There is one file per feature, `tables/<position>-<name>.table`, a section file of kind "table" whose rows
/// are ordered by hash, then by bytes:
///
///     hashes         u64[n]      XXH64 of the value (for xxh3_128: the high half; `hashes_low` holds the low one)
///     counts         u64[n]
///     codes          u32[n * 4]  buckets of the four-split code, with the width of the schema; for one_hot with only
///                                `buckets` given, the width is about a quarter of them
///     value_offsets  u64[n + 1]  into `values`
///     values         bytes
///
/// Metadata: feature, schema_fingerprint, encoding, cardinality, buckets, width, hash, seed, num_values,
/// total_count. The table of a cross holds the bytes that are hashed (cross.hpp). Tables are mapped, never
/// loaded as a whole.

#include <widehash/code.hpp>
#include <widehash/internal/section_file.hpp>
#include <widehash/schema.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// One row of a table. `value` points into the mapping of the table.
struct TableEntry {
  std::string_view value;
  std::uint64_t hash = 0;  // the high half for xxh3_128
  Buckets code{};
  std::uint64_t count = 0;
};

class LookupTable {
 public:
  /// Opens the file and checks in constant time that its sections fit together. Throws FileError or
  /// DataError.
  explicit LookupTable(std::string path);

  /// Reads and checks everything: checksums, offsets, order, and that hashes, codes and counts match the
  /// values. Throws DataError naming the first wrong value (counted from 1). Calls `pulse` from time to time;
  /// it may throw to stop. Cost: O(bytes).
  void verify(const std::function<void()>& pulse = {}) const;

  const std::string& feature() const noexcept { return feature_; }
  const std::string& schema_fingerprint() const noexcept { return schema_fingerprint_; }
  Encoding encoding() const noexcept { return encoding_; }
  HashKind hash_kind() const noexcept { return hash_kind_; }
  std::uint64_t seed() const noexcept { return seed_; }
  /// N; 0 for one_hot with only its buckets given.
  std::uint64_t cardinality() const noexcept { return cardinality_; }
  /// B of one_hot, 4 m if the schema gives none; 0 for other encodings.
  std::uint64_t buckets() const noexcept { return buckets_; }
  /// m of codes().
  std::uint32_t width() const noexcept { return width_; }
  std::uint64_t num_values() const noexcept { return hashes_.size(); }
  std::uint64_t total_count() const noexcept { return total_count_; }
  /// Returns value `index` < num_values(). Memory-safe even if the file was altered, though the result is
  /// then meaningless.
  TableEntry entry(std::uint64_t index) const noexcept;
  std::span<const std::uint64_t> hashes() const noexcept { return hashes_; }
  /// Low halves for xxh3_128; otherwise empty.
  std::span<const std::uint64_t> hashes_low() const noexcept { return hashes_low_; }
  std::span<const std::uint32_t> codes() const noexcept { return codes_; }
  std::span<const std::uint64_t> counts() const noexcept { return counts_; }
  const SectionFile& file() const noexcept { return file_; }

 private:
  void read_metadata();

  SectionFile file_;
  std::string feature_;
  std::string schema_fingerprint_;
  Encoding encoding_ = Encoding::four_split;
  HashKind hash_kind_ = HashKind::xxh64;
  std::uint64_t seed_ = 0;
  std::uint64_t cardinality_ = 0;
  std::uint64_t buckets_ = 0;
  std::uint32_t width_ = 0;
  std::uint64_t total_count_ = 0;
  std::span<const std::uint64_t> hashes_;
  std::span<const std::uint64_t> hashes_low_;
  std::span<const std::uint64_t> counts_;
  std::span<const std::uint32_t> codes_;
  std::span<const std::uint64_t> value_offsets_;
  std::string_view values_;
};

}  // namespace widehash
