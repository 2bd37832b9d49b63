#pragma once

/// \file
/// Computes the four-split codes of whole rows, all features of a row together: values are packed, hashed
/// eight at a time and reduced to buckets, a few rows at a time so that everything stays in the L1 cache.

#include "code_packer.hpp"
#include "gathered_fields.hpp"
#include "made_codes.hpp"

#include <widehash/code_batch.hpp>
#include <widehash/encoder.hpp>
#include <widehash/internal/bucket_reducer.hpp>
#include <widehash/internal/hash_lanes.hpp>
#include <widehash/internal/missing_words.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace widehash {

/// Per-thread memory, reused for every tile.
struct CodeScratch {
  HashLanes lanes;
  std::vector<std::size_t> positions;  // of each part, its first field; in placed rows, no_field if is_made
  GatheredFields gathered;
  std::vector<std::uint64_t> hashes;
  std::vector<std::uint64_t> absent;  // for each value, the codes to OR over its own
  RawVector<std::uint16_t> codes;     // 16-bit codes, before they are packed into rows with smaller ones
  MadeScratch made;
};

/// Fills all code slots of a layout, of either size. For XXH64. Immutable, shared by threads.
class CodeSlots {
 public:
  CodeSlots(const Schema& schema, const CodeLayout& layout);

  /// Fills the code slots of batch rows first_row.. from the rows listed in `sources`.
  void encode(const RowsView& rows, std::span<const std::size_t> sources, const FieldBinding& binding,
              CodeBatch& batch, std::size_t first_row, CodeScratch& scratch) const;

  /// The same for placed rows.
  void encode(const PlacedRows& rows, std::span<const std::size_t> sources, const FieldBinding& binding,
              CodeBatch& batch, std::size_t first_row, CodeScratch& scratch) const;

 private:
  // A feature with codes: part i has codes 4 i .. 4 i + 3 of a row before the row is packed.
  struct Part {
    std::size_t feature = 0;
    bool is_made = false;        // its value is not in the row: its codes replace those of the value that is
    bool skips_missing = false;  // as far as the feature's own value goes
  };

  /// Whether values given as views can be hashed in place: the fields are adjacent and used unchanged.
  bool reads_in_place(std::span<const std::size_t> positions) const noexcept;
  bool stand_side_by_side(std::span<const std::size_t> positions) const noexcept;
  void hash_in_place(const RowsView& rows, std::span<const std::size_t> sources, CodeScratch& scratch) const;
  void set_lanes(const RowsView& rows, std::span<const std::size_t> sources, CodeScratch& scratch) const;
  void mark_absent(const HashLanes& lanes, std::size_t num_rows, std::uint16_t* codes) const;
  /// For values hashed in place: writes one word per value to the scratch memory, as in `skipped_`.
  void find_absent(const RowsView& rows, std::span<const std::size_t> sources, CodeScratch& scratch) const;
  static void mark_absent(std::span<const std::uint64_t> absent, std::uint16_t* codes);
  /// Calls fill(codes) for `num_rows` rows of 4 codes per part, stored contiguously, and writes them to batch
  /// rows first_row and on.
  template <class Fill>
  void write_rows(CodeBatch& batch, std::size_t first_row, std::size_t num_rows, CodeScratch& scratch,
                  const Fill& fill) const;

  std::vector<Part> parts_;
  std::vector<std::string> missing_values_;
  MissingWords missing_words_;
  std::uint64_t seed_;
  BucketReducer reducer_;
  MadeCodes made_;
  CodePacker packer_;
  bool may_be_absent_ = false;
  // Where values may be absent, one word per part as encode_places() takes them; otherwise empty.
  std::vector<std::uint64_t> skipped_;
};

}  // namespace widehash
