#pragma once

/// \file
/// Random encoded rows with every kind of slot, and the matrix they stand for: the oracle of the module's tests.

#include <widehash/code_batch.hpp>
#include <widehash/csr.hpp>
#include <widehash/dataset.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/unpacked_runs.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace widehash::test {

inline Feature make_feature(std::string name, Encoding encoding, std::uint64_t cardinality = 0) {
  Feature feature;
  feature.fields = {name};
  feature.name = std::move(name);
  feature.encoding = encoding;
  feature.cardinality = cardinality;
  return feature;
}

/// A schema with a feature of every kind, a binary label and a weight.
inline Schema every_kind_schema() {
  Schema schema;
  Feature item = make_feature("item", Encoding::four_split, 50);
  item.missing = Missing::skip;
  Feature day = make_feature("day", Encoding::one_hot);
  day.buckets = 17;
  day.missing = Missing::skip;
  Feature tags = make_feature("tags", Encoding::four_split, 64);
  tags.separator = "|";
  Feature age = make_feature("age", Encoding::numeric);
  age.transform = NumericTransform::bucketize;
  age.boundaries = {18, 40, 65};
  Feature address = make_feature("address", Encoding::four_split, std::uint64_t{1} << 32);
  address.missing = Missing::skip;
  Feature query = make_feature("query", Encoding::four_split, 65'536);
  query.missing = Missing::skip;
  schema.features = {make_feature("user", Encoding::four_split, 1000),
                     item,
                     day,
                     make_feature("price", Encoding::numeric),
                     make_feature("shop", Encoding::exact, 100),
                     tags,
                     make_feature("note", Encoding::ignore),
                     age,
                     address,
                     make_feature("score", Encoding::numeric),
                     make_feature("page", Encoding::four_split, 100'000),
                     query};
  schema.label.field = "click";
  schema.label.kind = LabelKind::binary;
  schema.label.positive = {"1"};
  schema.label.negative = {"0"};
  schema.weight = "worth";
  return schema;
}

inline constexpr std::uint32_t shop_head_columns = 5;

inline std::vector<std::uint32_t> every_kind_heads() {
  return {0, 0, 0, 0, shop_head_columns, 0, 0, 0, 0, 0, 0, 0};
}

struct Sample {
  std::shared_ptr<const CodeLayout> layout;
  CodeBatch batch;
  std::vector<std::map<SparseIndex, float>> rows;  // the expected entries of each row of the matrix
};

/// Appends the columns of a random value of a ragged feature.
inline void push_value(const FeatureBlock& block, std::mt19937& random, std::vector<std::uint32_t>& run) {
  const auto below = [&](std::uint64_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  const auto offset = static_cast<std::uint32_t>(block.column_offset);
  const std::uint32_t singles = block.encoding == Encoding::exact ? block.head_columns : block.buckets;
  const bool is_single = block.width == 0 || (singles > 0 && below(2) == 0);
  if (is_single) return run.push_back(offset + below(singles));
  for (std::uint32_t k = 0; k < 4; ++k)
    run.push_back(offset + singles + k * block.width + below(block.width));
}

/// Random rows of `schema`, generated slot by slot from its layout. Features that may be absent are absent in
/// a third of the rows.
inline Sample make_sample(const Schema& schema, const std::vector<std::uint32_t>& heads, std::size_t num_rows,
                          unsigned seed, CodeBytes code_bytes = CodeBytes::least_in_runs) {
  Sample sample;
  sample.layout = std::make_shared<const CodeLayout>(make_layout(schema, heads, code_bytes));
  const CodeLayout& layout = *sample.layout;
  sample.batch = CodeBatch(sample.layout);
  sample.batch.resize(num_rows);
  sample.rows.resize(num_rows);
  std::mt19937 random(seed);
  const auto below = [&](std::uint64_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  for (std::size_t row = 0; row < num_rows; ++row) {
    auto& entries = sample.rows[row];
    for (const FeatureBlock& block : layout.blocks) {
      const auto offset = static_cast<SparseIndex>(block.column_offset);
      const bool absent = block.may_be_absent && below(3) == 0;
      if (block.has_codes()) {
        for (std::uint32_t k = 0; k < 4; ++k) {
          const std::uint32_t bucket = below(block.width);
          sample.batch.set_code(row, block, k, absent ? block.absent_mark() : bucket);
          if (!absent) entries[offset + k * block.width + bucket] += 1;
        }
      } else if (block.slot_kind == SlotKind::columns) {
        for (std::uint32_t k = 0; k < block.num_slots; ++k) {
          const std::uint32_t column =
              block.width != 0 ? k * block.width + below(block.width) : below(block.buckets);
          sample.batch.columns[row * layout.column_stride + block.slot + k] = absent ? absent_column : column;
          if (!absent) entries[offset + column] += 1;
        }
      } else if (block.slot_kind == SlotKind::numbers) {
        const float number = static_cast<float>(below(7)) / 2 - 1;  // sometimes 0
        sample.batch.numbers[row * layout.number_stride + block.slot] = number;
        if (number != 0) entries[offset] = number;
      } else if (block.slot_kind == SlotKind::ragged) {
        const std::size_t first = sample.batch.ragged.size();
        for (std::uint32_t count = below(6); count > 0; --count)
          push_value(block, random, sample.batch.ragged);
        for (std::size_t i = first; i < sample.batch.ragged.size(); ++i) entries[sample.batch.ragged[i]] += 1;
      }
    }
    if (layout.has_ragged) sample.batch.ragged_offsets[row + 1] = sample.batch.ragged.size();
    if (layout.has_targets) {
      sample.batch.targets[row] = static_cast<float>(below(layout.num_classes != 0 ? layout.num_classes : 2));
    }
    if (layout.has_weights) sample.batch.weights[row] = static_cast<float>(below(4)) / 2;
  }
  return sample;
}

/// `layout` with the fingerprint of another encoding, which uses the same slots.
inline CodeLayout layout_of(CodeLayout layout, EncodingFingerprint fingerprint) {
  layout.fingerprint = std::move(fingerprint);
  return layout;
}

/// `rows` as if they had that layout, which must outlive the view.
inline CodeBatchView as_of(CodeBatchView rows, const CodeLayout& layout) {
  rows.layout = &layout;
  return rows;
}

inline Sample every_kind_sample(std::size_t num_rows, unsigned seed,
                                CodeBytes code_bytes = CodeBytes::least_in_runs) {
  return make_sample(every_kind_schema(), every_kind_heads(), num_rows, seed, code_bytes);
}

/// Writes a dataset of `rows`, cut into shards of `shard_rows` rows, and returns its manifest.
inline Manifest write_dataset(const Schema& schema, const std::vector<std::uint32_t>& heads,
                              const CodeBatchView& rows, std::size_t shard_rows,
                              const std::string& directory) {
  write_text_file(directory + "/schema.toml", to_toml(schema));
  Manifest manifest;
  manifest.schema_fingerprint = schema.fingerprint();
  manifest.head_columns = heads;
  manifest.num_columns = rows.layout->num_columns;
  manifest.block_bytes = 1 << 20;
  manifest.code_bytes = rows.layout->code_bytes;
  for (std::size_t begin = 0; begin < rows.num_rows; begin += shard_rows) {
    const std::string name = "part-" + std::to_string(manifest.shards.size()) + ".shard";
    const std::size_t count = std::min(shard_rows, rows.num_rows - begin);
    manifest.shards.push_back(write_shard(rows.rows(begin, count), directory, name));
  }
  manifest.rows = rows.num_rows;
  manifest.rejected_rows = 2;
  manifest.inputs = {{"day_0.tsv", 1234, rows.num_rows + 2, 2}};
  write_manifest(manifest, directory);
  return manifest;
}

inline bool same_rows(const CodeBatchView& stored_a, const CodeBatchView& stored_b) {
  UnpackedRuns runs_a;
  UnpackedRuns runs_b;
  const CodeBatchView a = unpacked(stored_a, runs_a);
  const CodeBatchView b = unpacked(stored_b, runs_b);
  const auto equal = [](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end());
  };
  if (a.num_rows != b.num_rows || !equal(a.codes, b.codes) || !equal(a.columns, b.columns) ||
      !equal(a.numbers, b.numbers) || !equal(a.targets, b.targets) || !equal(a.weights, b.weights)) {
    return false;
  }
  if (a.ragged_offsets.size() != b.ragged_offsets.size()) return false;
  for (std::size_t row = 0; row + 1 < a.ragged_offsets.size(); ++row) {
    const auto run = [&](const CodeBatchView& v) {
      return v.ragged.subspan(v.ragged_offsets[row], v.ragged_offsets[row + 1] - v.ragged_offsets[row]);
    };
    if (!equal(run(a), run(b))) return false;
  }
  return true;
}

}  // namespace widehash::test
