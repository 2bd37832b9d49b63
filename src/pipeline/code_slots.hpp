#pragma once

/// \file
/// The four-split codes of whole rows, all features of a row together: values are packed, hashed eight at a
/// time and reduced to buckets, a few rows after another so that everything stays in the first cache.

#include "code_packer.hpp"
#include "value_reader.hpp"

#include <widehash/bucket_reducer.hpp>
#include <widehash/code_batch.hpp>
#include <widehash/encoder.hpp>
#include <widehash/hash_lanes.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace widehash {

/// Memory of one thread, used again for every tile.
struct CodeScratch {
  struct Cross {
    std::size_t lane = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  HashLanes lanes;
  std::vector<std::size_t> positions;  // field of each part that is no cross
  std::vector<std::uint64_t> hashes;
  RawVector<std::uint16_t> codes;  // of 16 bits, on their way to rows that have smaller ones
  std::vector<Cross> crosses;
  std::string cross_texts;
  std::string cross;
};

/// Fills all slots of a layout that are codes, of either size. For XXH64; immutable, shared by threads.
class CodeSlots {
 public:
  CodeSlots(const Schema& schema, const CodeLayout& layout);

  /// Fills the code slots of batch rows first_row.. from the rows listed in `sources`.
  void encode(const RowsView& rows, std::span<const std::size_t> sources, const FieldBinding& binding,
              CodeBatch& batch, std::size_t first_row, CodeScratch& scratch) const;

  /// Whether a row's values can be hashed where they stand: fields side by side, each as it is.
  bool reads_in_place(const FieldBinding& binding) const noexcept;
  /// The same for rows by their places. Requires reads_in_place(binding).
  void encode(const PlacedRows& rows, std::span<const std::size_t> sources, const FieldBinding& binding,
              CodeBatch& batch, std::size_t first_row, CodeScratch& scratch) const;

 private:
  // A feature with codes: part i has codes 4 i .. 4 i + 3 of a row before it is packed.
  struct Part {
    std::size_t feature = 0;
    bool is_cross = false;
    bool skips_missing = false;
    ValueReader reader;
  };

  void hash_in_place(const RowsView& rows, std::span<const std::size_t> sources, CodeScratch& scratch) const;
  void set_lanes(const RowsView& rows, std::span<const std::size_t> sources, const FieldBinding& binding,
                 CodeScratch& scratch) const;
  void set_crosses(const RowsView& rows, std::span<const std::size_t> sources, const FieldBinding& binding,
                   CodeScratch& scratch) const;
  void mark_absent(const HashLanes& lanes, std::size_t num_rows, std::uint16_t* codes) const;
  /// Calls fill(codes) for `num_rows` rows of 4 codes a part, side by side, which become batch rows first_row
  /// and on.
  template <class Fill>
  void write_rows(CodeBatch& batch, std::size_t first_row, std::size_t num_rows, CodeScratch& scratch,
                  const Fill& fill) const;

  std::vector<Part> parts_;
  std::vector<std::string> missing_values_;
  std::uint64_t seed_;
  BucketReducer reducer_;
  CodePacker packer_;
  bool has_crosses_ = false;
  bool may_be_absent_ = false;
};

}  // namespace widehash
