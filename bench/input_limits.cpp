// input_limits FILE: the limits of ingest on this machine, measured on one thread over the same file of
// tab-separated rows, as JSON:
//
//     read    bytes read (and decompressed) into a reused buffer, and not processed
//     scan    places of delimiters and line ends found and stored, over plain text in memory, in the fastest way
//             known here: the library's own first step
//
// `transform` is compared with both in one run (figures.sh, compare/).

#include "row_places.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/byte_source.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace widehash::bench {
namespace {

constexpr std::size_t piece_bytes = std::size_t{256} << 10;
constexpr std::size_t max_rows = 1024;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Stores the places of all separators, some rows at a time; returns their number. Skips the last row.
std::uint64_t scan(const std::string& text, const std::string& path) {
  const std::size_t first_end = std::min(text.find('\n'), text.size());
  const std::size_t num_fields =
      1 + static_cast<std::size_t>(
              std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(first_end), '\t'));
  std::vector<std::uint32_t> places(1 + max_rows * num_fields + detail::places_slack);
  std::uint32_t* const ends = places.data() + 1;
  const char* const text_end = text.data() + text.size();
  const std::size_t last_row = text.size() < 2 ? 0 : text.rfind('\n', text.size() - 2) + 1;
  std::size_t at = 0;
  std::uint64_t separators = 0;
  while (at < last_row) {
    const std::size_t rows = detail::scan_places(text.data() + at, text_end, '\t', detail::LineEnd::lf,
                                                 num_fields, max_rows, ends);
    if (rows == 0) {
      const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
      throw DataError(
          path, static_cast<std::uint64_t>(line),
          fmt::format("no row of {} bare values that ends in LF, as the first one is", num_fields));
    }
    separators += rows * num_fields;
    at += ends[rows * num_fields - 1] + 1;
  }
  return separators;
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

  start = std::chrono::steady_clock::now();
  const std::uint64_t separators = scan(text, input.path);
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
