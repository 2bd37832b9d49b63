#include "feature_arrays.hpp"

#include "arrays.hpp"
#include "no_gil.hpp"

#include <widehash/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

namespace widehash::python {
namespace {

const FeatureBlock& block_of(const CodeBatchView& rows, const std::string& feature) {
  const auto& blocks = rows.layout->blocks;
  const auto found = std::ranges::find(blocks, feature, &FeatureBlock::name);
  if (found == blocks.end()) throw ConfigError(fmt::format("the schema has no feature '{}'", feature));
  return *found;
}

/// Slots hold columns of the block. For a four-split feature, those of split k begin at k * m.
std::int64_t bucket_of(const FeatureBlock& block, std::uint32_t k, std::uint32_t column) noexcept {
  if (column == absent_column) return -1;
  return std::int64_t{column} - (block.num_slots > 1 ? std::int64_t{k} * block.width : 0);
}

std::int64_t code_of(const CodeBatchView& rows, std::size_t row, const FeatureBlock& block, std::uint32_t k) {
  if (!block.has_codes()) {
    return bucket_of(block, k, rows.columns[row * rows.layout->column_stride + block.slot + k]);
  }
  const std::uint32_t code = rows.code(row, block, k);
  return block.may_be_absent && code == block.absent_mark() ? -1 : std::int64_t{code};
}

}  // namespace

py::array feature_codes(const CodeBatchView& rows, const std::string& feature) {
  const FeatureBlock& block = block_of(rows, feature);
  if (block.slot_kind == SlotKind::numbers) {
    throw ConfigError(fmt::format("feature '{}' is a number, and has no codes; see numbers()", feature));
  }
  if (!block.has_codes() && block.slot_kind != SlotKind::columns) {
    throw ConfigError(fmt::format(
        "feature '{}' does not have the same number of codes in every row; its columns are in csr()",
        feature));
  }
  std::vector<std::int64_t> codes(rows.num_rows * block.num_slots);
  {
    const NoGil no_gil;
    auto to = codes.begin();
    for (std::size_t row = 0; row < rows.num_rows; ++row) {
      for (std::uint32_t k = 0; k < block.num_slots; ++k) *to++ = code_of(rows, row, block, k);
    }
  }
  return array_of(std::move(codes), {static_cast<py::ssize_t>(rows.num_rows), block.num_slots});
}

py::array feature_numbers(const CodeBatchView& rows, const std::string& feature) {
  const FeatureBlock& block = block_of(rows, feature);
  if (block.slot_kind != SlotKind::numbers) {
    throw ConfigError(fmt::format("feature '{}' is not a number; see codes() and csr()", feature));
  }
  std::vector<float> numbers(rows.num_rows);
  for (std::size_t row = 0; row < rows.num_rows; ++row) {
    numbers[row] = rows.numbers[row * rows.layout->number_stride + block.slot];
  }
  return array_of(std::move(numbers));
}

}  // namespace widehash::python
