#include "line_count.hpp"

#include <algorithm>
#include <cstring>

namespace widehash::detail {
namespace {

/// Sixteen bytes side by side; a comparison gives 0xFF where it holds.
using Bytes16 = std::uint8_t __attribute__((vector_size(16)));

Bytes16 load(const char* from) noexcept {
  Bytes16 bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  return bytes;
}

std::uint64_t sum(Bytes16 counts) noexcept {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < sizeof counts; ++i) total += counts[i];
  return total;
}

}  // namespace

LineCount count_line_ends(std::string_view text) noexcept {
  LineCount count;
  std::size_t at = 2;
  while (at + sizeof(Bytes16) <= text.size()) {
    // Counters of one byte hold up to 255 rounds.
    const std::size_t rounds = std::min<std::size_t>((text.size() - at) / sizeof(Bytes16), 255);
    Bytes16 lines{};
    Bytes16 blank{};
    for (std::size_t round = 0; round < rounds; ++round, at += sizeof(Bytes16)) {
      const Bytes16 is_end = load(text.data() + at) == '\n';
      const Bytes16 before = load(text.data() + at - 1);
      const Bytes16 cr_after_end = (before == '\r') & (load(text.data() + at - 2) == '\n');
      lines -= is_end;
      blank -= is_end & ((before == '\n') | cr_after_end);
    }
    count.lines += sum(lines);
    count.blank += sum(blank);
  }
  for (; at < text.size(); ++at) {
    if (text[at] != '\n') continue;
    ++count.lines;
    if (text[at - 1] == '\n' || (text[at - 1] == '\r' && text[at - 2] == '\n')) ++count.blank;
  }
  return count;
}

}  // namespace widehash::detail
