#include "feature_encoder.hpp"

#include "row_runs.hpp"
#include "target_parser.hpp"

#include <widehash/internal/placed_values.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace widehash {
namespace {

constexpr std::size_t num_small_logs = 2048;

/// log1p of 0, 1, 2, ...: most counts are small, and the function costs as much as parsing the number.
const std::array<float, num_small_logs>& small_logs() {
  static const auto logs = [] {
    std::array<float, num_small_logs> values{};
    for (std::size_t i = 0; i < num_small_logs; ++i) {
      values[i] = static_cast<float>(std::log1p(static_cast<double>(i)));
    }
    return values;
  }();
  return logs;
}

/// The nearest float, or the largest finite one of the same sign where `value` is out of range.
float to_float(double value) noexcept {
  constexpr double largest = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(value, -largest, largest));
}

/// `value`, or `otherwise` where it is missing. A selection rather than a branch, which would be mispredicted
/// too often.
double or_if_missing(double value, double otherwise) noexcept {
  return std::isnan(value) ? otherwise : value;
}

float signed_log1p(double value, const std::array<float, num_small_logs>& logs) {
  const double size = std::fabs(value);
  if (size < static_cast<double>(num_small_logs)) {
    const auto whole = static_cast<std::int32_t>(size);
    if (static_cast<double>(whole) == size) {
      return std::copysign(logs[static_cast<std::size_t>(whole)], static_cast<float>(value));
    }
  }
  return to_float(std::copysign(std::log1p(size), value));
}

}  // namespace

FeatureEncoder::FeatureEncoder(const Schema& schema, const Feature& feature, const LookupTable* table,
                               const NumericMoments* moments)
    : feature_(feature),
      hash_(schema.hash),
      seed_(schema.seed),
      reader_(schema, feature),
      missing_(schema.missing_values) {
  if (feature.encoding == Encoding::exact) {
    head_ = std::make_unique<HeadMap>(*table, feature);
    prefetches_ =
        head_->is_large() && hash_ == HashKind::xxh64 && !feature.makes_values() && feature.separator.empty();
  }
  if (moments != nullptr) moments_ = *moments;
}

Buckets FeatureEncoder::buckets_of(std::string_view value) const noexcept {
  return hash_ == HashKind::xxh64 ? four_split(hash_xxh64(value, seed_), block_->width)
                                  : four_split(hash_xxh3_128(value, seed_), block_->width);
}

std::uint32_t FeatureEncoder::one_hot_of(std::string_view value) const noexcept {
  const std::uint64_t hash =
      hash_ == HashKind::xxh64 ? hash_xxh64(value, seed_) : hash_xxh3_128(value, seed_).low;
  return one_hot(hash, block_->buckets);
}

std::uint32_t FeatureEncoder::interval_of(double value) const noexcept {
  if (std::isnan(value)) return reader_.skips_missing() ? absent_column : block_->buckets - 1;
  const auto& cuts = feature_.boundaries;
  return static_cast<std::uint32_t>(std::upper_bound(cuts.begin(), cuts.end(), value) - cuts.begin());
}

void FeatureEncoder::encode_numbers(const double* numbers, std::size_t stride, std::size_t num_rows,
                                    CodeBatch& batch, std::size_t first_row) const {
  const CodeLayout& layout = batch.layout();
  const auto write = [&](auto* out, std::size_t out_stride, const auto& slot_of) {
    for (std::size_t row = 0; row < num_rows; ++row, numbers += stride, out += out_stride) {
      *out = slot_of(*numbers);
    }
  };
  if (block_->slot_kind != SlotKind::numbers) {
    write(batch.columns.data() + first_row * layout.column_stride + block_->slot, layout.column_stride,
          [&](double value) { return interval_of(value); });
    return;
  }
  float* const out = batch.numbers.data() + first_row * layout.number_stride + block_->slot;
  if (feature_.transform == NumericTransform::log1p) {
    const auto& logs = small_logs();
    write(out, layout.number_stride,
          [&](double value) { return signed_log1p(or_if_missing(value, 0.0), logs); });
  } else if (feature_.transform == NumericTransform::standardize) {
    // A constant feature has no spread: every value is its mean. With a spread near zero, distant values
    // exceed the range of float, so to_float() clamps them.
    const double mean = moments_.mean;
    const double spread = moments_.standard_deviation;
    write(out, layout.number_stride, [&](double value) {
      return spread > 0 ? to_float((or_if_missing(value, mean) - mean) / spread) : 0.0F;
    });
  } else {
    write(out, layout.number_stride, [](double value) { return to_float(or_if_missing(value, 0.0)); });
  }
}

template <class Rows>
void FeatureEncoder::encode_hashed(const Rows& rows, std::span<const std::size_t> sources,
                                   std::span<const std::size_t> fields, CodeBatch& batch,
                                   std::size_t first_row, HashedScratch& scratch) const {
  const CodeLayout& layout = batch.layout();
  if (block_->has_codes()) {
    for (std::size_t row = 0; row < sources.size(); ++row) {
      Buckets buckets;
      buckets.fill(block_->absent_mark());  // stays where the value is skipped
      reader_.for_each_value(rows, sources[row], fields, scratch.text,
                             [&](std::string_view value) { buckets = buckets_of(value); });
      for (std::uint32_t k = 0; k < num_splits; ++k) batch.set_code(first_row + row, *block_, k, buckets[k]);
    }
  } else if (block_->slot_kind == SlotKind::columns) {
    std::uint32_t* out = batch.columns.data() + first_row * layout.column_stride + block_->slot;
    if (hashes_columns_at_once()) {
      encode_one_hot(rows, sources, fields[0], out, layout.column_stride, scratch);
      return;
    }
    for (const std::size_t source : sources) {
      std::fill_n(out, block_->num_slots, absent_column);
      reader_.for_each_value(rows, source, fields, scratch.text, [&](std::string_view value) {
        if (feature_.encoding == Encoding::one_hot) {
          *out = one_hot_of(value);
        } else {
          const Buckets buckets = buckets_of(value);
          for (std::uint32_t k = 0; k < num_splits; ++k) out[k] = k * block_->width + buckets[k];
        }
      });
      out += layout.column_stride;
    }
  }
}

bool FeatureEncoder::hashes_columns_at_once() const noexcept {
  return feature_.encoding == Encoding::one_hot && hash_ == HashKind::xxh64 && !feature_.makes_values();
}

void FeatureEncoder::encode_one_hot(const RowsView& rows, std::span<const std::size_t> sources,
                                    std::size_t field, std::uint32_t* out, std::size_t stride,
                                    HashedScratch& scratch) const {
  HashLanes& lanes = scratch.lanes;
  lanes.reshape(1, sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    lanes.set(i, reader_.normalised(rows.value(sources[i], field)));
  }
  lanes.hash_xxh64(seed_);
  for (std::size_t i = 0; i < sources.size(); ++i, out += stride) {
    const bool is_absent = reader_.skips_missing() && lanes.is_empty(i);
    *out = is_absent ? absent_column : bucket_of_(lanes.hashes()[i]);
  }
}

void FeatureEncoder::encode_one_hot(const PlacedRows& rows, std::span<const std::size_t> sources,
                                    std::size_t field, std::uint32_t* out, std::size_t stride,
                                    HashedScratch& scratch) const {
  while (!sources.empty()) {
    const std::size_t count = run_length(sources, sources.size());
    scratch.values.resize(count);
    const PlacedFields column = rows.rows(sources[0], count).fields(field, 1);
    hash_places(column, seed_, missing_.words(), scratch.values.data());
    for (const HashedValue& value : scratch.values) {
      const bool is_absent = reader_.skips_missing() && value.length() == 0;
      *out = is_absent ? absent_column : bucket_of_(value.hash);
      out += stride;
    }
    sources = sources.subspan(count);
  }
}

void FeatureEncoder::append_value_columns(std::string_view value, std::vector<std::uint32_t>& out) const {
  const auto first = static_cast<std::uint32_t>(block_->column_offset);
  if (feature_.encoding == Encoding::one_hot) {
    out.push_back(first + one_hot_of(value));
    return;
  }
  const auto append = [&](std::uint64_t hash_in_table, const auto& hash) {
    if (head_ != nullptr) {
      if (const auto column = head_->find(value, hash_in_table)) {
        out.push_back(first + *column);
        return;
      }
    }
    const Buckets buckets = four_split(hash, block_->width);
    for (std::uint32_t k = 0; k < num_splits; ++k) {
      out.push_back(first + block_->head_columns + k * block_->width + buckets[k]);
    }
  };
  if (hash_ == HashKind::xxh64) {
    const std::uint64_t hash = hash_xxh64(value, seed_);
    append(hash, hash);
  } else {
    const auto hash = hash_xxh3_128(value, seed_);
    append(hash.high, hash);
  }
}

template <class Rows>
void FeatureEncoder::append_ragged(const Rows& rows, std::size_t source, std::span<const std::size_t> fields,
                                   std::string& scratch, std::vector<std::uint32_t>& out) const {
  reader_.for_each_value(rows, source, fields, scratch,
                         [&](std::string_view value) { append_value_columns(value, out); });
}

template void FeatureEncoder::encode_hashed(const RowsView&, std::span<const std::size_t>,
                                            std::span<const std::size_t>, CodeBatch&, std::size_t,
                                            HashedScratch&) const;
template void FeatureEncoder::encode_hashed(const PlacedRows&, std::span<const std::size_t>,
                                            std::span<const std::size_t>, CodeBatch&, std::size_t,
                                            HashedScratch&) const;
template void FeatureEncoder::append_ragged(const RowsView&, std::size_t, std::span<const std::size_t>,
                                            std::string&, std::vector<std::uint32_t>&) const;
template void FeatureEncoder::append_ragged(const PlacedRows&, std::size_t, std::span<const std::size_t>,
                                            std::string&, std::vector<std::uint32_t>&) const;

}  // namespace widehash
