#pragma once

/// \file
/// One feature's way from text to slots. Missing values, crosses and several values in one field are settled
/// here once, in for_each_value(), for every encoding and for the counting of `fit`.

#include "head_map.hpp"

#include <widehash/bucket_reducer.hpp>
#include <widehash/code_batch.hpp>
#include <widehash/code_layout.hpp>
#include <widehash/cross.hpp>
#include <widehash/encoder.hpp>
#include <widehash/hash_lanes.hpp>
#include <widehash/lookup_table.hpp>
#include <widehash/schema.hpp>
#include <widehash/table_set.hpp>
#include <widehash/value_list.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// What the values of a feature are: its fields cut, its missing texts known.
class ValueReader {
 public:
  ValueReader(const Schema& schema, const Feature& feature)
      : missing_values_(schema.missing_values),
        skip_missing_(feature.missing == Missing::skip),
        separator_(feature.separator.empty() ? std::nullopt : std::optional<char>(feature.separator[0])) {}

  bool is_missing(std::string_view value) const noexcept {
    return value.empty() ||
           std::find(missing_values_.begin(), missing_values_.end(), value) != missing_values_.end();
  }
  /// A missing text reads as the empty value.
  std::string_view normalised(std::string_view value) const noexcept {
    return is_missing(value) ? std::string_view() : value;
  }
  bool skips_missing() const noexcept { return skip_missing_; }

  /// Calls use(value) for every value of the feature in a row: one; none where a missing value is skipped;
  /// several where the field is multi-valued. For a cross the values are those of cross.hpp, over all
  /// combinations of its parts' values. `scratch` is any string to build them in.
  template <class Use>
  void for_each_value(const RowsView& rows, std::size_t row, std::span<const std::size_t> fields,
                      std::string& scratch, Use&& use) const {
    if (fields.size() == 1) {
      for_each_item(rows, row, fields[0], use);
    } else {
      scratch.clear();
      combine(rows, row, fields, scratch, use);
    }
  }

 private:
  template <class Use>
  void for_each_item(const RowsView& rows, std::size_t row, std::size_t field, Use&& use) const {
    const std::string_view text = rows.value(row, field);
    if (!separator_) {
      use_item(text, use);
    } else if (text.empty() || (!rows.is_list(field) && is_missing(text))) {
      use_item({}, use);
    } else if (rows.is_list(field)) {
      for_each_listed(text, [&](std::string_view item) { use_item(item, use); });
    } else {
      for_each_separated(text, use);
    }
  }

  template <class Use>
  void for_each_separated(std::string_view field, Use&& use) const {
    for (;;) {
      const std::size_t end = field.find(*separator_);
      use_item(field.substr(0, end), use);
      if (end == std::string_view::npos) return;
      field.remove_prefix(end + 1);
    }
  }

  template <class Use>
  void use_item(std::string_view item, Use&& use) const {
    const std::string_view value = normalised(item);
    if (value.empty() && skip_missing_) return;
    use(value);
  }

  // Appends each value of the first field to what stands in `scratch` and goes on with the other fields.
  template <class Use>
  void combine(const RowsView& rows, std::size_t row, std::span<const std::size_t> fields,
               std::string& scratch, Use&& use) const {
    for_each_item(rows, row, fields[0], [&](std::string_view item) {
      const std::size_t length = scratch.size();
      append_cross_part(scratch, item);
      if (fields.size() == 1) {
        use(std::string_view(scratch));
      } else {
        combine(rows, row, fields.subspan(1), scratch, use);
      }
      scratch.resize(length);
    });
  }

  std::vector<std::string> missing_values_;
  bool skip_missing_;
  std::optional<char> separator_;
};

/// Memory of one thread, used again for every tile.
struct HashedScratch {
  std::string text;
  HashLanes lanes;
};

/// Encodes one feature. Immutable; shared by threads.
class FeatureEncoder {
 public:
  /// `table` and `moments` may be null where the encoding needs none; `table` must outlive the encoder.
  FeatureEncoder(const Schema& schema, const Feature& feature, const LookupTable* table,
                 const NumericMoments* moments);

  /// E of exact; 0 elsewhere.
  std::uint32_t head_columns() const noexcept { return head_ ? head_->num_columns() : 0; }
  /// To be called once, when the layout is known; `block` must outlive the encoder.
  void place(const FeatureBlock& block) noexcept {
    block_ = &block;
    if (block.buckets != 0) bucket_of_ = BucketRemainder(block.buckets);
  }
  const FeatureBlock& block() const noexcept { return *block_; }

  /// Fills a numeric feature's slot of batch rows first_row.. from numbers[0], numbers[stride], ..., as
  /// RowRules read them.
  void encode_numbers(const double* numbers, std::size_t stride, std::size_t num_rows, CodeBatch& batch,
                      std::size_t first_row) const;
  /// Fills a hashed feature's fixed slots of batch rows first_row.. from the rows listed in `sources`. For
  /// codes this is the plain form of CodeSlots, and what other hashes than XXH64 take.
  void encode_hashed(const RowsView& rows, std::span<const std::size_t> sources,
                     std::span<const std::size_t> fields, CodeBatch& batch, std::size_t first_row,
                     HashedScratch& scratch) const;
  /// Appends the feature's matrix columns of one row to `out`.
  void append_ragged(const RowsView& rows, std::size_t source, std::span<const std::size_t> fields,
                     std::string& scratch, std::vector<std::uint32_t>& out) const;
  /// The matrix columns of one hashed value, whichever slots the feature has: what a lookup table is read
  /// with.
  void append_value_columns(std::string_view value, std::vector<std::uint32_t>& out) const;

 private:
  bool hashes_columns_at_once(std::span<const std::size_t> fields) const noexcept;
  void encode_one_hot(const RowsView& rows, std::span<const std::size_t> sources, std::size_t field,
                      std::uint32_t* out, std::size_t stride, HashLanes& lanes) const;
  float number_of(double value) const noexcept;
  Buckets buckets_of(std::string_view value) const noexcept;
  std::uint32_t one_hot_of(std::string_view value) const noexcept;
  std::uint32_t interval_of(double value) const noexcept;

  Feature feature_;
  HashKind hash_;
  std::uint64_t seed_;
  ValueReader reader_;
  NumericMoments moments_;
  std::unique_ptr<HeadMap> head_;
  const FeatureBlock* block_ = nullptr;
  BucketRemainder bucket_of_{1};
};

}  // namespace widehash
