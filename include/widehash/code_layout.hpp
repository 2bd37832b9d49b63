#pragma once

/// \file
/// How the features of a schema are laid out: as columns of the matrix and as slots of the compact code
/// batch.
///
/// Columns. The matrix is the hstack of the features' blocks, in schema order:
///
///     four_split   4 m columns            k m + bucket_k
///     one_hot      B columns              h mod B
///     exact        E + 4 m columns        a value of the head: its own column; others: E + their four-split columns
///     numeric      1 column               the value (bucketize: boundaries + 1 intervals, plus one for missing)
///
/// Slots. A row of a code batch has a fixed number of slots of each of four kinds, and an optional ragged
/// run:
///
///     codes       u16  4 per single-valued four_split feature: its buckets. A skipped missing value has
///                      `absent_code` in all four. 8 bytes a value.
///     byte_codes  u8   the same for features of at most 256 buckets (255 if a value may be skipped, which is
///                      marked by `absent_byte_code`). This covers every cardinality up to 65,025. 4 bytes a value.
///     columns     u32  1 per single-valued one_hot or bucketize feature, 4 per four_split feature whose buckets do not
///                      fit a code: the column within the feature's block (for bucket k: k m + bucket_k), or
///                      `absent_column`.
///     numbers     f32  1 per numeric feature: the value of its column; 0 if missing.
///     ragged      u32  columns of the matrix, each worth 1, of exact and multi-valued features, in schema order.
///                      Repeated columns add up. Shards hold them packed (docs/formats.md): 4 or 8 bytes a value.
///
/// The byte codes of a row directly follow its 16-bit codes, so that both form one run of memory of
/// `code_stride` 16-bit words.

#include <widehash/code.hpp>
#include <widehash/schema.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace widehash {

inline constexpr std::uint16_t absent_code = 0xFFFF;
inline constexpr std::uint8_t absent_byte_code = 0xFF;
inline constexpr std::uint32_t absent_column = 0xFFFFFFFF;

enum class SlotKind : std::uint8_t { none, codes, byte_codes, columns, numbers, ragged };

/// The size of a bucket of a four-split code in shards.
enum class CodeBytes : std::uint8_t {
  two,            // always two bytes, and ragged runs of u32 columns: datasets of manifest version 1
  least,          // one byte if the bucket fits, and ragged runs of u32 columns: versions 2 and 3
  least_in_runs,  // as few bytes as the bucket needs, in ragged runs too: version 4
};

/// Identifies the encoding that made rows. Rows can be read together exactly if their fingerprints are equal.
struct EncodingFingerprint {
  std::string schema;
  std::string tables;  // "" if the encoding needed no tables
  bool operator==(const EncodingFingerprint&) const = default;
};

/// The place of one feature.
struct FeatureBlock {
  std::string name;
  Encoding encoding = Encoding::four_split;
  SlotKind slot_kind = SlotKind::none;
  std::uint32_t slot = 0;           // first slot of its kind in a row
  std::uint32_t num_slots = 0;      // 0 for ragged
  std::uint32_t width = 0;          // m, if the block has four-split columns
  std::uint32_t buckets = 0;        // B of one_hot; intervals + 1 of bucketize
  std::uint32_t head_columns = 0;   // E of exact
  std::uint64_t column_offset = 0;  // first column in the matrix
  std::uint64_t num_columns = 0;
  bool may_be_absent = false;  // codes or columns may hold the absent mark

  /// Whether the values are stored as codes, of one or two bytes.
  bool has_codes() const noexcept {
    return slot_kind == SlotKind::codes || slot_kind == SlotKind::byte_codes;
  }
  /// What each code of a skipped value is set to. Requires has_codes().
  std::uint32_t absent_mark() const noexcept {
    return slot_kind == SlotKind::codes ? std::uint32_t{absent_code} : std::uint32_t{absent_byte_code};
  }
};

/// The layout of a schema. Immutable once made.
struct CodeLayout {
  std::vector<FeatureBlock> blocks;  // in schema order, including `ignore` features (without columns)
  std::uint32_t wide_codes = 0;      // 16-bit codes per row
  std::uint32_t byte_codes = 0;      // 8-bit codes per row, always an even number
  std::uint32_t code_stride = 0;     // 16-bit words per row for both: wide_codes + byte_codes / 2
  std::uint32_t column_stride = 0;   // slots per row
  std::uint32_t number_stride = 0;
  bool has_ragged = false;
  std::vector<std::uint32_t> ragged_blocks;  // positions in `blocks`
  CodeBytes code_bytes = CodeBytes::two;     // least_in_runs only if has_ragged
  bool has_weights = false;
  bool has_targets = false;
  bool may_be_absent = false;     // true if it is for any block
  std::uint32_t num_classes = 0;  // targets are class numbers below this; 0: targets are numbers
  std::uint64_t num_columns = 0;
  /// The encoding of the rows. Another seed or other tables give other codes in the same slots.
  EncodingFingerprint fingerprint;

  /// Codes per row, of both sizes.
  std::uint32_t num_codes() const noexcept { return wide_codes + byte_codes; }

  /// Bytes of the fixed slots, the target and the weight of one row.
  std::size_t fixed_row_bytes() const noexcept;
};

/// Makes the layout of a schema. `head_columns[i]` is E of feature i if it is exact and 0 otherwise; an empty
/// vector means all zeros. `tables_fingerprint` is the TableSet::fingerprint of the tables that the encoding
/// needs, if any. Throws ShapeError if `head_columns` does not have one entry per feature, and ConfigError,
/// naming the largest features, if there are more than `max_columns` columns.
CodeLayout make_layout(const Schema& schema, const std::vector<std::uint32_t>& head_columns = {},
                       CodeBytes code_bytes = CodeBytes::least_in_runs, std::string tables_fingerprint = {});

/// Whether two layouts give rows the same meaning: the same slots and columns, with codes of the same hash
/// and tables. Whether shards hold their ragged runs packed does not matter.
bool same_layout(const CodeLayout& a, const CodeLayout& b) noexcept;

}  // namespace widehash
