#include "append_rows.hpp"

#include <widehash/error.hpp>
#include <widehash/rows_in_layout.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace widehash {
namespace {

bool same_block(const FeatureBlock& a, const FeatureBlock& b) noexcept {
  const bool same_kind = a.slot_kind == b.slot_kind || (a.has_codes() && b.has_codes());
  return same_kind && a.name == b.name && a.encoding == b.encoding && a.num_slots == b.num_slots &&
         a.width == b.width && a.buckets == b.buckets && a.head_columns == b.head_columns &&
         a.column_offset == b.column_offset && a.num_columns == b.num_columns &&
         a.may_be_absent == b.may_be_absent;
}

bool differ_in_code_bytes_only(const CodeLayout& a, const CodeLayout& b) noexcept {
  return std::ranges::equal(a.blocks, b.blocks, same_block) && a.has_targets == b.has_targets &&
         a.has_weights == b.has_weights && a.num_classes == b.num_classes && a.fingerprint == b.fingerprint;
}

void copy_codes(const CodeBatchView& from, const FeatureBlock& block, const FeatureBlock& to_block,
                CodeBatch& to) {
  for (std::size_t row = 0; row < from.num_rows; ++row) {
    for (std::uint32_t k = 0; k < block.num_slots; ++k) {
      const std::uint32_t code = from.code(row, block, k);
      const bool is_absent = block.may_be_absent && code == block.absent_mark();
      to.set_code(row, to_block, k, is_absent ? to_block.absent_mark() : code);
    }
  }
}

}  // namespace

CodeBatch rows_in_layout(const CodeBatchView& rows, std::shared_ptr<const CodeLayout> layout) {
  if (rows.layout == nullptr || !differ_in_code_bytes_only(*rows.layout, *layout)) {
    throw ShapeError("rows of another encoding than the layout that they are to have");
  }
  const auto& blocks = rows.layout->blocks;
  CodeBatch made(std::move(layout));
  detail::append_all_but_codes(rows, made);
  made.resize(rows.num_rows);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].has_codes()) copy_codes(rows, blocks[i], made.layout().blocks[i], made);
  }
  return made;
}

}  // namespace widehash
