// As in code_packer.cpp, so that the instruction sets it uses are tested too.
#define HWY_WANT_AVX3_DL 1
#include "encode/code_packer.hpp"

#include "vector_targets.hpp"

#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

/// Features of both code sizes in random order, some without codes in between.
CodeLayout random_layout(std::mt19937_64& random, std::size_t num_features) {
  CodeLayout layout;
  for (std::size_t i = 0; i < num_features; ++i) {
    FeatureBlock block;
    if (random() % 5 == 0) {
      block.slot_kind = SlotKind::numbers;
    } else if (random() % 2 == 0) {
      block.slot_kind = SlotKind::codes;
      block.slot = layout.wide_codes;
      layout.wide_codes += num_splits;
    } else {
      block.slot_kind = SlotKind::byte_codes;
      block.slot = layout.byte_codes;
      layout.byte_codes += num_splits;
    }
    layout.blocks.push_back(block);
  }
  layout.code_stride = layout.wide_codes + layout.byte_codes / 2;
  return layout;
}

/// Packs a row as code_layout.hpp specifies, one code at a time.
std::vector<std::uint8_t> packed(const CodeLayout& layout, const std::uint16_t* codes) {
  std::vector<std::uint8_t> row(layout.code_stride * sizeof(std::uint16_t));
  for (const FeatureBlock& block : layout.blocks) {
    if (!block.has_codes()) continue;
    for (std::size_t k = 0; k < num_splits; ++k, ++codes) {
      if (block.slot_kind == SlotKind::codes) {
        std::memcpy(&row[(block.slot + k) * 2], codes, sizeof *codes);
      } else {
        row[layout.wide_codes * 2 + block.slot + k] = static_cast<std::uint8_t>(*codes);
      }
    }
  }
  return row;
}

TEST(CodePacker, RowsAreThoseOfTheLayoutAndNothingBehindThem) {
  std::mt19937_64 random(5);
  for (int repeat = 0; repeat < 600; ++repeat) {
    const CodeLayout layout = random_layout(random, 1 + random() % 45);
    const CodePacker packer(layout);
    ASSERT_EQ(packer.packs(), layout.byte_codes > 0);
    if (!packer.packs()) continue;
    const std::size_t num_rows = random() % 12;
    std::vector<std::uint16_t> codes(num_rows * layout.num_codes() + CodePacker::slack_words);
    for (auto& code : codes) code = static_cast<std::uint16_t>(random() % 4 == 0 ? 0xFFFF : random());
    const std::size_t row_bytes = layout.code_stride * sizeof(std::uint16_t);
    constexpr std::uint16_t untouched = 0xABCD;
    for_each_vector_target([&] {
      std::vector<std::uint16_t> rows(num_rows * layout.code_stride + 64, untouched);
      packer.pack(codes.data(), num_rows, rows.data());
      for (std::size_t row = 0; row < num_rows; ++row) {
        const auto expected = packed(layout, codes.data() + row * layout.num_codes());
        ASSERT_EQ(std::memcmp(rows.data() + row * layout.code_stride, expected.data(), row_bytes), 0)
            << "row " << row << " of " << num_rows;
      }
      for (std::size_t i = num_rows * layout.code_stride; i < rows.size(); ++i) ASSERT_EQ(rows[i], untouched);
    });
  }
}

}  // namespace
}  // namespace widehash
