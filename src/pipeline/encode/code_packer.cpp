// Blocks of a row are shuffled and stored whole. The surplus bytes are overwritten by the next block or the
// next row. With AVX-512 VBMI a block is eight features, elsewhere two.

#include "code_packer.hpp"

#define HWY_WANT_AVX3_DL 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "code_packer.cpp"
#include <hwy/foreach_target.h>

#include <widehash/code.hpp>

#include <algorithm>
#include <array>
#include <cstring>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace widehash::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

struct Block {
  static constexpr std::size_t size = 16;
  std::array<std::uint8_t, size> bytes;

  Block(const std::uint8_t* from, const std::uint8_t* order) {
    for (std::size_t i = 0; i < size; ++i) bytes[i] = from[order[i]];
  }
  void store(std::uint8_t* to) const { std::memcpy(to, bytes.data(), size); }
};

#else

/// The bytes of `from` in the order that `order` gives.
struct Block {
#if HWY_TARGET == HWY_AVX3_DL
  static constexpr std::size_t size = 64;
#else
  static constexpr std::size_t size = 16;
#endif
  using Tag = hn::FixedTag<std::uint8_t, size>;
  hn::Vec<Tag> bytes;

  HWY_INLINE Block(const std::uint8_t* from, const std::uint8_t* order) {
    const auto given = hn::LoadU(Tag(), from);
    const auto places = hn::LoadU(Tag(), order);
#if HWY_TARGET == HWY_AVX3_DL
    bytes = hn::Vec<Tag>{_mm512_permutexvar_epi8(places.raw, given.raw)};
#else
    bytes = hn::TableLookupBytes(given, places);
#endif
  }
  HWY_INLINE void store(std::uint8_t* to) const { hn::StoreU(bytes, Tag(), to); }
};

#endif

void PackRows(const CodePacker::Moves& in_16_bytes, const CodePacker::Moves& in_64_bytes,
              const std::uint8_t* codes, std::size_t codes_bytes, std::size_t num_rows, std::uint8_t* rows,
              std::size_t row_bytes) {
  const CodePacker::Moves& moves = Block::size == 64 ? in_64_bytes : in_16_bytes;
  // Rows that are followed by room for a whole block.
  const std::size_t rows_of_block = 1 + (Block::size - 1) / row_bytes;
  const std::size_t with_room = num_rows - std::min(num_rows, rows_of_block);
  std::size_t row = 0;
  for (; row < with_room; ++row, codes += codes_bytes, rows += row_bytes) {
    const std::uint8_t* order = moves.orders.data();
    for (const CodePacker::Move& move : moves.moves) {
      Block(codes + move.from, order).store(rows + move.to);
      order += Block::size;
    }
  }
  for (; row < num_rows; ++row, codes += codes_bytes, rows += row_bytes) {
    const std::uint8_t* order = moves.orders.data();
    for (const CodePacker::Move& move : moves.moves) {
      std::array<std::uint8_t, Block::size> whole{};
      Block(codes + move.from, order).store(whole.data());
      std::memcpy(rows + move.to, whole.data(), move.count);
      order += Block::size;
    }
  }
}

}  // namespace widehash::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace widehash {
namespace {

constexpr std::size_t feature_bytes = num_splits * sizeof(std::uint16_t);

using Blocks = std::vector<const FeatureBlock*>;

/// The moves for features of one size, from blocks of `block_bytes`.
void append_moves(const Blocks& features, SlotKind kind, std::size_t wide_bytes, CodePacker::Moves& moves) {
  const std::size_t features_a_block = moves.block_bytes / feature_bytes;
  const bool is_small = kind == SlotKind::byte_codes;
  for (std::size_t first = 0; first < features.size(); first += features_a_block) {
    CodePacker::Move move;
    std::vector<std::uint8_t> order(moves.block_bytes, 0);
    const std::size_t end = std::min(first + features_a_block, features.size());
    for (std::size_t i = first; i < end; ++i) {
      if (features[i]->slot_kind != kind) continue;
      if (move.count == 0) {
        const std::size_t slot = features[i]->slot;
        move.from = static_cast<std::uint32_t>(first * feature_bytes);
        move.to = static_cast<std::uint32_t>(is_small ? wide_bytes + slot : slot * sizeof(std::uint16_t));
      }
      // A small feature takes the low byte of each code.
      for (std::size_t byte = 0; byte < feature_bytes; byte += is_small ? 2 : 1) {
        order[move.count++] = static_cast<std::uint8_t>((i - first) * feature_bytes + byte);
      }
    }
    if (move.count == 0) continue;
    moves.moves.push_back(move);
    moves.orders.insert(moves.orders.end(), order.begin(), order.end());
  }
}

CodePacker::Moves moves_of(const Blocks& features, const CodeLayout& layout, std::size_t block_bytes) {
  CodePacker::Moves moves{.block_bytes = block_bytes, .moves = {}, .orders = {}};
  const std::size_t wide_bytes = layout.wide_codes * sizeof(std::uint16_t);
  append_moves(features, SlotKind::codes, wide_bytes, moves);
  append_moves(features, SlotKind::byte_codes, wide_bytes, moves);
  return moves;
}

}  // namespace

HWY_EXPORT(PackRows);

CodePacker::CodePacker(const CodeLayout& layout)
    : code_stride_(layout.code_stride), packs_(layout.byte_codes > 0) {
  Blocks features;
  for (const FeatureBlock& block : layout.blocks) {
    if (block.has_codes()) features.push_back(&block);
  }
  codes_per_row_ = features.size() * num_splits;
  if (!packs_) return;
  in_16_bytes_ = moves_of(features, layout, 16);
  in_64_bytes_ = moves_of(features, layout, 64);
}

void CodePacker::pack(const std::uint16_t* codes, std::size_t num_rows, std::uint16_t* rows) const noexcept {
  HWY_DYNAMIC_DISPATCH(PackRows)
  (in_16_bytes_, in_64_bytes_, reinterpret_cast<const std::uint8_t*>(codes),
   codes_per_row_ * sizeof(std::uint16_t), num_rows, reinterpret_cast<std::uint8_t*>(rows),
   code_stride_ * sizeof(std::uint16_t));
}

}  // namespace widehash
#endif
