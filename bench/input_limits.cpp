// input_limits FILE: what bounds ingest on this machine, measured on one thread over the same file, as JSON:
//
//     read    bytes taken in (and decompressed) into a buffer that is used again, nothing done with them
//     scan    places of delimiters and line ends found and written out, over plain text in memory
//
// `transform` is held against both in one run (figures.sh, compare/).

// Compiled once for every instruction set (Highway's foreach_target); the best is chosen when the program runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "input_limits.cpp"
#include <hwy/foreach_target.h>

#include <widehash/byte_source.hpp>
#include <widehash/error.hpp>

#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace widehash::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Writes the places, relative to `text`, of every tab and LF in whole steps of 64 bytes; returns how many.
std::size_t FindSeparators(const char* text, std::size_t num_bytes, std::uint32_t* places) {
  const hn::CappedTag<std::uint8_t, 64> d;
  const auto tab = hn::Set(d, static_cast<std::uint8_t>('\t'));
  const auto line_end = hn::Set(d, static_cast<std::uint8_t>('\n'));
  std::size_t count = 0;
  for (std::size_t at = 0; at + 64 <= num_bytes; at += 64) {
    std::uint64_t bits = 0;
    for (std::size_t lane = 0; lane < 64; lane += hn::Lanes(d)) {
      const auto bytes = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(text) + at + lane);
      std::array<std::uint8_t, 8> mask{};
      hn::StoreMaskBits(d, hn::Or(hn::Eq(bytes, tab), hn::Eq(bytes, line_end)), mask.data());
      std::uint64_t part = 0;
      std::memcpy(&part, mask.data(), sizeof part);
      bits |= part << lane;
    }
    const auto found = static_cast<std::size_t>(std::popcount(bits));
    // Eight at a time, those too many overwritten by the next step.
    for (std::size_t written = 0; written < found; written += 8) {
      for (std::size_t i = 0; i < 8; ++i, bits &= bits - 1) {
        places[count + written + i] =
            static_cast<std::uint32_t>(at + static_cast<std::size_t>(std::countr_zero(bits)));
      }
    }
    count += found;
  }
  return count;
}

}  // namespace widehash::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace widehash::bench {
namespace {

HWY_EXPORT(FindSeparators);

constexpr std::size_t piece_bytes = std::size_t{256} << 10;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string input_limits(const Input& input) {
  std::string text;
  std::string piece(piece_bytes, '\0');
  auto source = open_source(input);
  while (const std::size_t count = source->read(piece)) text.append(piece, 0, count);

  source = open_source(input);
  auto start = std::chrono::steady_clock::now();
  while (source->read(piece) > 0) {
  }
  const double read_seconds = seconds_since(start);

  std::vector<std::uint32_t> places(piece_bytes + 64);
  std::uint64_t separators = 0;
  start = std::chrono::steady_clock::now();
  for (std::size_t at = 0; at < text.size(); at += piece_bytes) {
    const std::size_t bytes = std::min(piece_bytes, text.size() - at);
    separators += HWY_DYNAMIC_DISPATCH(FindSeparators)(text.data() + at, bytes, places.data());
  }
  const double scan_seconds = seconds_since(start);
  const auto rate = [&](double seconds) { return static_cast<double>(text.size()) / seconds; };
  return fmt::format(
      "{{\"bytes\": {}, \"separators\": {}, \"read_bytes_per_second\": {:.0f}, \"scan_bytes_per_second\": "
      "{:.0f}}}",
      text.size(), separators, rate(read_seconds), rate(scan_seconds));
}

}  // namespace
}  // namespace widehash::bench

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: input_limits FILE\n");
    return 2;
  }
  try {
    fmt::print("{}\n", widehash::bench::input_limits(widehash::expand_inputs({argv[1]}).front()));
    return 0;
  } catch (const widehash::Error& error) {
    fmt::print(stderr, "input_limits: {}\n", error.what());
    return 1;
  }
}
#endif
