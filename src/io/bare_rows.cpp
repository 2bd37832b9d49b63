#include "bare_rows.hpp"

#include <widehash/dialect.hpp>

#include <algorithm>
#include <cstring>
#include <span>

namespace widehash::detail {
namespace {

// Bytes read past the target to find where its row ends.
constexpr std::uint64_t lookahead_bytes = std::uint64_t{16} << 10;
// Bytes of the first read: where all values are quoted, nothing more is read.
constexpr std::uint64_t first_bytes = std::uint64_t{4} << 10;

}  // namespace

std::optional<std::uint64_t> find_end_of_bare_rows(const RangeFile& file, char quote, std::uint64_t begin,
                                                   std::uint64_t target, std::vector<char>& piece) {
  piece.resize(piece_bytes);
  const char* const text = piece.data();
  const std::uint64_t size = file.size_bytes();
  std::size_t count = 0;
  for (std::uint64_t at = begin; at < size; at += count) {
    const std::uint64_t wanted = std::max(target, at) - at + lookahead_bytes;
    const std::uint64_t most = at == begin ? first_bytes : piece_bytes;
    count = static_cast<std::size_t>(std::min({most, size - at, wanted}));
    file.read(at, std::span(piece).first(count));
    std::size_t bytes = count;
    const char* line_end = nullptr;
    if (at + count >= target) {
      const std::size_t from = target - 1 > at ? static_cast<std::size_t>(target - 1 - at) : 0;
      line_end = static_cast<const char*>(std::memchr(text + from, '\n', count - from));
      if (line_end != nullptr) bytes = static_cast<std::size_t>(line_end - text);
    }
    if (std::memchr(text, quote, bytes) != nullptr) return std::nullopt;
    if (line_end != nullptr) return at + bytes + 1;
    // The reader of the rows reports that this one is too long; nothing after it needs to be read.
    if (at + count > target + max_row_bytes) return size;
  }
  return size;
}

}  // namespace widehash::detail
