#pragma once

/// \file
/// The fixed head and tail of a section file, shared by its writer and its reader.

#include <widehash/internal/section_file.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace widehash::detail {

inline constexpr std::string_view tail_magic = "shedawid";

using FixedBlock = std::array<char, section_alignment>;

inline FixedBlock section_head(std::string_view kind) {
  FixedBlock head{};
  std::memcpy(head.data(), section_magic.data(), section_magic.size());
  std::memcpy(head.data() + 8, kind.data(), std::min<std::size_t>(kind.size(), 8));
  std::memcpy(head.data() + 16, &section_file_major, 4);
  std::memcpy(head.data() + 20, &section_file_minor, 4);
  return head;
}

struct SectionTail {
  std::uint64_t footer_offset = 0;
  std::uint64_t footer_bytes = 0;
  std::uint64_t footer_checksum = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t minor = section_file_minor;  // repeated: the head's may be any, so the two are compared
};

inline FixedBlock section_tail(const SectionTail& tail) {
  FixedBlock block{};
  static_assert(sizeof tail == 40);
  std::memcpy(block.data(), &tail, sizeof tail);
  std::memcpy(block.data() + section_alignment - tail_magic.size(), tail_magic.data(), tail_magic.size());
  return block;
}

}  // namespace widehash::detail
