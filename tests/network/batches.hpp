#pragma once

/// \file
/// Seeded random batches over a layout with every kind of slot, and the same rows as a dense matrix built
/// directly from the description in code_layout.hpp.

#include <widehash/code_batch.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace widehash::test {

inline Feature feature(const char* name, Encoding encoding, std::uint64_t cardinality) {
  Feature f;
  f.name = name;
  f.fields = {name};
  f.encoding = encoding;
  f.cardinality = cardinality;
  return f;
}

inline std::shared_ptr<const CodeLayout> share(CodeLayout layout) {
  return std::make_shared<const CodeLayout>(std::move(layout));
}

/// A layout of four-split features only, whose values are never absent.
inline std::shared_ptr<const CodeLayout> plain_layout(int num_features, std::uint64_t cardinality) {
  Schema schema;
  schema.label.field = "y";
  for (int i = 0; i < num_features; ++i)
    schema.features.push_back(feature("f", Encoding::four_split, cardinality));
  return share(make_layout(schema));
}

/// Codes of 16 and of 8 bits side by side, with and without absent values, at the widths where one size
/// becomes the other (257, 256 and 255) and at a small one. Repeats these features `copies` times: as many
/// runs of 8 neighbouring slots per size.
inline std::shared_ptr<const CodeLayout> two_sizes_layout(int copies = 1, bool skips = true) {
  Schema schema;
  schema.label.field = "y";
  for (int i = 0; i < copies; ++i) {
    for (const std::uint64_t width : {8u, 257u, 255u, 256u}) {
      schema.features.push_back(feature("f", Encoding::four_split, width * width));
      if (skips && width <= 256 && width != 8) schema.features.back().missing = Missing::skip;
    }
  }
  return share(make_layout(schema));
}

/// Codes (with and without absent values), codes too wide for 16 bits, one-hot, bucketize, numbers,
/// exact and multi-valued.
inline std::shared_ptr<const CodeLayout> mixed_layout(bool with_wide = false) {
  Schema schema;
  schema.label.field = "y";
  schema.weight = "w";
  schema.features.push_back(feature("plain", Encoding::four_split, 50));
  schema.features.push_back(feature("price", Encoding::numeric, 0));
  schema.features.push_back(feature("skipped", Encoding::four_split, 80));
  schema.features.back().missing = Missing::skip;
  schema.features.push_back(feature("colour", Encoding::one_hot, 9));
  schema.features.back().buckets = 7;
  schema.features.back().missing = Missing::skip;
  schema.features.push_back(feature("tags", Encoding::four_split, 60));
  schema.features.back().separator = "|";
  schema.features.push_back(feature("comment", Encoding::ignore, 0));
  schema.features.push_back(feature("city", Encoding::exact, 40));
  schema.features.push_back(feature("age", Encoding::numeric, 0));
  schema.features.back().transform = NumericTransform::bucketize;
  schema.features.back().boundaries = {18, 30, 65};
  if (with_wide) {
    schema.features.push_back(feature("wide", Encoding::four_split, max_cardinality_xxh64));
    schema.features.back().missing = Missing::skip;
  }
  std::vector<std::uint32_t> head_columns(schema.features.size());
  head_columns[6] = 5;
  return share(make_layout(schema, head_columns));
}

/// Appends the columns of one random value of a ragged block to the run.
inline void push_ragged_value(const FeatureBlock& block, std::mt19937_64& random,
                              std::vector<std::uint32_t>& ragged) {
  const auto offset = static_cast<std::uint32_t>(block.column_offset);
  if (block.head_columns > 0 && random() % 2 == 0) {
    ragged.push_back(offset + static_cast<std::uint32_t>(random() % block.head_columns));
    return;
  }
  for (std::uint32_t k = 0; k < num_splits; ++k) {
    const auto bucket = static_cast<std::uint32_t>(random() % block.width);
    ragged.push_back(offset + block.head_columns + k * block.width + bucket);
  }
}

/// Random rows. Targets are 0 or 1 (or classes), weights are 0.5 to 2.
inline CodeBatch random_batch(std::shared_ptr<const CodeLayout> layout, std::size_t rows, std::uint64_t seed,
                              std::uint32_t classes = 2) {
  std::mt19937_64 random(seed);
  CodeBatch batch(layout);
  batch.resize(rows);
  batch.ragged.clear();
  const auto fraction = [&] { return static_cast<float>(random() >> 40) * 0x1p-24f; };
  for (std::size_t row = 0; row < rows; ++row) {
    for (const FeatureBlock& block : layout->blocks) {
      const bool absent = block.may_be_absent && random() % 3 == 0;
      for (std::uint32_t i = 0; i < block.num_slots; ++i) {
        if (block.has_codes()) {
          const auto bucket = static_cast<std::uint32_t>(random() % block.width);
          batch.set_code(row, block, i, absent ? block.absent_mark() : bucket);
        } else if (block.slot_kind == SlotKind::columns) {
          auto& column = batch.columns[row * layout->column_stride + block.slot + i];
          const std::uint64_t local = block.width > 0
                                          ? std::uint64_t{i} * block.width + random() % block.width
                                          : random() % block.num_columns;
          column = absent ? absent_column : static_cast<std::uint32_t>(local);
        } else {
          batch.numbers[row * layout->number_stride + block.slot] =
              random() % 4 == 0 ? 0.0f : 2 * fraction() - 1;
        }
      }
      if (block.slot_kind == SlotKind::ragged) {
        const std::uint64_t values = block.encoding == Encoding::exact ? 1 : random() % 4;
        for (std::uint64_t v = 0; v < values; ++v) push_ragged_value(block, random, batch.ragged);
      }
    }
    if (layout->has_ragged) batch.ragged_offsets[row + 1] = batch.ragged.size();
    if (layout->has_targets) batch.targets[row] = static_cast<float>(random() % classes);
    if (layout->has_weights) batch.weights[row] = 0.5f + 1.5f * fraction();
  }
  return batch;
}

/// The matrix [rows x num_columns] that the batch stands for.
inline std::vector<double> dense_matrix(const CodeBatchView& batch) {
  const CodeLayout& layout = *batch.layout;
  std::vector<double> x(batch.num_rows * layout.num_columns);
  for (std::size_t row = 0; row < batch.num_rows; ++row) {
    double* out = x.data() + row * layout.num_columns;
    for (const FeatureBlock& block : layout.blocks) {
      for (std::uint32_t i = 0; i < block.num_slots; ++i) {
        if (block.has_codes()) {
          const std::uint32_t code = batch.code(row, block, i);
          if (!(block.may_be_absent && code == block.absent_mark()))
            out[block.column_offset + i * block.width + code] += 1;
        } else if (block.slot_kind == SlotKind::columns) {
          const std::uint32_t column = batch.columns[row * layout.column_stride + block.slot + i];
          if (column != absent_column) out[block.column_offset + column] += 1;
        } else {
          out[block.column_offset] += batch.numbers[row * layout.number_stride + block.slot];
        }
      }
    }
    if (!layout.has_ragged) continue;
    for (std::uint64_t i = batch.ragged_offsets[row]; i < batch.ragged_offsets[row + 1]; ++i)
      out[batch.ragged[i]] += 1;
  }
  return x;
}

}  // namespace widehash::test
