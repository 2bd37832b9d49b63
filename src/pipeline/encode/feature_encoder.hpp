#pragma once

/// \file
/// Encodes one feature from text to slots.

#include "head_map.hpp"
#include "value_reader.hpp"

#include <widehash/code.hpp>
#include <widehash/code_batch.hpp>
#include <widehash/code_layout.hpp>
#include <widehash/encoder.hpp>
#include <widehash/internal/bucket_reducer.hpp>
#include <widehash/internal/hash_lanes.hpp>
#include <widehash/internal/hashed_value.hpp>
#include <widehash/internal/missing_words.hpp>
#include <widehash/internal/raw_vector.hpp>
#include <widehash/lookup_table.hpp>
#include <widehash/placed_rows.hpp>
#include <widehash/schema.hpp>
#include <widehash/table_set.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// Per-thread memory, reused for every tile.
struct HashedScratch {
  std::string text;
  HashLanes lanes;
  RawVector<HashedValue> values;
};

/// Encodes one feature. Immutable, shared by threads.
class FeatureEncoder {
 public:
  /// `table` and `moments` may be null where the encoding does not need them; `table` must outlive the
  /// encoder.
  FeatureEncoder(const Schema& schema, const Feature& feature, const LookupTable* table,
                 const NumericMoments* moments);

  /// The number of head columns of an exact feature; 0 for other encodings.
  std::uint32_t head_columns() const noexcept { return head_ ? head_->num_columns() : 0; }
  /// Must be called once, when the layout is known. `block` must outlive the encoder.
  void place(const FeatureBlock& block) noexcept {
    block_ = &block;
    if (block.buckets != 0) bucket_of_ = BucketRemainder(block.buckets);
  }

  /// Fills a numeric feature's slot of batch rows first_row.. from numbers[0], numbers[stride], ..., which
  /// RowRules have read.
  void encode_numbers(const double* numbers, std::size_t stride, std::size_t num_rows, CodeBatch& batch,
                      std::size_t first_row) const;
  /// Fills a hashed feature's fixed slots of batch rows first_row.. from the rows listed in `sources`. For
  /// codes this is the plain version of CodeSlots, used by hashes other than XXH64. Rows is RowsView or
  /// PlacedRows.
  template <class Rows>
  void encode_hashed(const Rows& rows, std::span<const std::size_t> sources,
                     std::span<const std::size_t> fields, CodeBatch& batch, std::size_t first_row,
                     HashedScratch& scratch) const;
  /// Appends the matrix columns of the feature in one row to `out`. Rows is RowsView or PlacedRows.
  template <class Rows>
  void append_ragged(const Rows& rows, std::size_t source, std::span<const std::size_t> fields,
                     std::string& scratch, std::vector<std::uint32_t>& out) const;
  /// Starts loading what append_ragged() will need for this row, where that is likely to be far away.
  template <class Rows>
  void prefetch_ragged(const Rows& rows, std::size_t source, std::span<const std::size_t> fields) const {
    if (!prefetches_) return;
    head_->prefetch(hash_xxh64(reader_.normalised(rows.value(source, fields[0])), seed_));
  }
  /// Appends the matrix columns of one hashed value, whatever slots the feature has. Used to read lookup
  /// tables.
  void append_value_columns(std::string_view value, std::vector<std::uint32_t>& out) const;

 private:
  bool hashes_columns_at_once() const noexcept;
  void encode_one_hot(const RowsView& rows, std::span<const std::size_t> sources, std::size_t field,
                      std::uint32_t* out, std::size_t stride, HashedScratch& scratch) const;
  void encode_one_hot(const PlacedRows& rows, std::span<const std::size_t> sources, std::size_t field,
                      std::uint32_t* out, std::size_t stride, HashedScratch& scratch) const;
  Buckets buckets_of(std::string_view value) const noexcept;
  std::uint32_t one_hot_of(std::string_view value) const noexcept;
  std::uint32_t interval_of(double value) const noexcept;

  Feature feature_;
  HashKind hash_;
  std::uint64_t seed_;
  ValueReader reader_;
  MissingWords missing_;
  NumericMoments moments_;
  std::unique_ptr<HeadMap> head_;
  bool prefetches_ = false;
  const FeatureBlock* block_ = nullptr;
  BucketRemainder bucket_of_{1};
};

}  // namespace widehash
