#pragma once

/// \file
/// How the features of a schema lie side by side: as columns of the matrix, and as slots of the compact code
/// batch.
///
/// Columns. The matrix is the hstack, in schema order, of the features' blocks:
///
///     four_split   4 m columns            k m + bucket_k
///     one_hot      B columns              h mod B
///     exact        E + 4 m columns        a value of the head: its column; any other: E + its four-split columns
///     numeric      1 column               the value (bucketize: boundaries + 1 intervals, then one for missing)
///
/// Slots. A row of a code batch has a fixed number of each of four kinds, and an optional ragged run:
///
///     codes       u16  4 per single-valued four_split feature: its buckets. A skipped missing value has
///                      `absent_code` in all four. This is the 8 bytes a value costs at most.
///     byte_codes  u8   the same for features of at most 256 buckets (255 where a value may be skipped: that is
///                      `absent_byte_code`), which are all up to a cardinality of 65,025: 4 bytes a value.
///     columns     u32  1 per single-valued one_hot or bucketize feature, 4 per four_split feature whose buckets do not
///                      fit a code: the column inside the feature's block (for bucket k: k m + bucket_k), or
///                      `absent_column`.
///     numbers     f32  1 per numeric feature: the value of its column; 0 where missing.
///     ragged      u32  columns of the matrix, each worth 1, of exact and of multi-valued features, in schema order.
///                      Repeated columns add up.
///
/// The byte codes of a row stand right behind its codes, so that both together are one run of memory:
/// `code_stride` words of 16 bits.

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

/// What a bucket of a four-split code takes.
enum class CodeBytes : std::uint8_t {
  two,    // two bytes always: datasets of manifest version 1
  least,  // one where it fits
};

/// Which encoding made rows: they can be read together exactly when these are equal.
struct EncodingFingerprint {
  std::string schema;
  std::string tables;  // "" where no encoding needed tables
  bool operator==(const EncodingFingerprint&) const = default;
};

/// One feature's place.
struct FeatureBlock {
  std::string name;
  Encoding encoding = Encoding::four_split;
  SlotKind slot_kind = SlotKind::none;
  std::uint32_t slot = 0;           // first slot of its kind in a row
  std::uint32_t num_slots = 0;      // 0 for ragged
  std::uint32_t width = 0;          // m, where the block has four-split columns
  std::uint32_t buckets = 0;        // B of one_hot; intervals + 1 of bucketize
  std::uint32_t head_columns = 0;   // E of exact
  std::uint64_t column_offset = 0;  // first column in the matrix
  std::uint64_t num_columns = 0;
  bool may_be_absent = false;  // codes or columns may hold the absent mark

  /// Whether its values are codes, of one byte or of two.
  bool has_codes() const noexcept {
    return slot_kind == SlotKind::codes || slot_kind == SlotKind::byte_codes;
  }
  /// What each of its codes is where a value is skipped. Requires has_codes().
  std::uint32_t absent_mark() const noexcept {
    return slot_kind == SlotKind::codes ? std::uint32_t{absent_code} : std::uint32_t{absent_byte_code};
  }
};

/// The layout of a schema. Immutable once made.
struct CodeLayout {
  std::vector<FeatureBlock> blocks;  // in schema order, `ignore` features too (without columns)
  std::uint32_t wide_codes = 0;      // slots per row: codes of 16 bits
  std::uint32_t byte_codes = 0;      // and of 8 bits, always an even number
  std::uint32_t code_stride = 0;     // words of 16 bits that both take: wide_codes + byte_codes / 2
  std::uint32_t column_stride = 0;   // slots per row
  std::uint32_t number_stride = 0;
  bool has_ragged = false;
  bool has_weights = false;
  bool has_targets = false;
  bool may_be_absent = false;     // any block's
  std::uint32_t num_classes = 0;  // targets are class numbers below this; 0: targets are numbers
  std::uint64_t num_columns = 0;
  /// Of the encoding whose rows these are: another seed or other tables give other codes in the same slots.
  EncodingFingerprint fingerprint;

  /// Codes of a row, whatever their size.
  std::uint32_t num_codes() const noexcept { return wide_codes + byte_codes; }

  /// Bytes of the fixed slots, target and weight of one row.
  std::size_t fixed_row_bytes() const noexcept;
};

/// `head_columns[i]` is E of feature i where it is exact (0 elsewhere); an empty vector stands for all zeros.
/// `tables_fingerprint`: TableSet::fingerprint of the tables that the encoding needs, where it needs any.
/// Throws ShapeError where there are not as many heads as features, ConfigError where the columns exceed
/// `max_columns`, naming the features that take most.
CodeLayout make_layout(const Schema& schema, const std::vector<std::uint32_t>& head_columns = {},
                       CodeBytes code_bytes = CodeBytes::least, std::string tables_fingerprint = {});

/// Whether two layouts give rows the same meaning, slot by slot and column by column, with codes of the same
/// hash and tables.
bool same_layout(const CodeLayout& a, const CodeLayout& b) noexcept;

}  // namespace widehash
