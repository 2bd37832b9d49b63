#include "range_file.hpp"

#include <widehash/checksum.hpp>
#include <widehash/input.hpp>

#include <algorithm>
#include <span>
#include <string>

namespace widehash {

std::uint64_t sample_checksum(const Input& input) {
  constexpr std::uint64_t num_pieces = 16;
  constexpr std::uint64_t piece_bytes = std::uint64_t{64} << 10;
  if (input.is_stream || input.size_bytes == 0) return 0;
  const detail::RangeFile file(input.path, input.size_bytes);
  ChecksumStream sum;
  std::string piece;
  const auto add = [&](std::uint64_t begin, std::uint64_t bytes) {
    piece.resize(bytes);
    file.read(begin, std::span(piece));
    sum.add(std::as_bytes(std::span(piece)));
  };
  const std::uint64_t whole = file.size_bytes();
  if (whole <= num_pieces * piece_bytes) {
    for (std::uint64_t begin = 0; begin < whole; begin += piece_bytes)
      add(begin, std::min(piece_bytes, whole - begin));
  } else {
    // The first piece begins at the start and the last one ends at the end. The quotient and the remainder
    // are multiplied separately, so that nothing overflows.
    const std::uint64_t room = whole - piece_bytes;
    const std::uint64_t last = num_pieces - 1;
    for (std::uint64_t k = 0; k < num_pieces; ++k) add(room / last * k + room % last * k / last, piece_bytes);
  }
  return sum.value();
}

}  // namespace widehash
