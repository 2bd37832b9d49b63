// naive_loop SCHEMA FILE: the obvious loop, to compare `transform` with in the same run. One thread walks the
// bytes of a tab-separated FILE once; each field is hashed with XXH64 and split into four buckets, which are
// written to a buffer. No shards, checks or threads. SCHEMA gives the widths: the label first, then
// single-field features in the order of the fields. Prints one JSON object.

#include <widehash/code.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/schema.hpp>

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <xxhash.h>

namespace {

constexpr std::size_t rows_per_buffer = 4096;

std::vector<std::uint32_t> field_widths(const widehash::Schema& schema) {
  std::vector<std::uint32_t> widths;
  for (const auto& feature : schema.features) widths.push_back(widehash::split_width(feature.cardinality));
  return widths;
}

struct Walk {
  std::uint64_t rows = 0;
  std::uint64_t buckets_sum = 0;  // depends on every bucket, so that none can be optimized away
};

Walk walk(std::string_view text, const std::vector<std::uint32_t>& widths) {
  std::vector<std::uint16_t> codes(rows_per_buffer * widths.size() * widehash::num_splits);
  Walk result;
  std::size_t slot = 0;
  std::size_t field = 0;
  const char* begin = text.data();
  for (const char* at = text.data(); at != text.data() + text.size(); ++at) {
    if (*at != '\t' && *at != '\n') continue;
    if (field > 0) {
      const auto hash = XXH64(begin, static_cast<std::size_t>(at - begin), 0);
      for (const auto bucket : widehash::four_split(hash, widths[field - 1])) {
        codes[slot++] = static_cast<std::uint16_t>(bucket);
      }
    }
    begin = at + 1;
    ++field;
    if (*at != '\n') continue;
    field = 0;
    ++result.rows;
    if (slot == codes.size()) {
      for (const auto code : codes) result.buckets_sum += code;
      slot = 0;
    }
  }
  for (std::size_t i = 0; i < slot; ++i) result.buckets_sum += codes[i];
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: naive_loop SCHEMA FILE\n");
    return 2;
  }
  try {
    const auto widths = field_widths(widehash::load_schema(argv[1]));
    const widehash::MappedFile file(argv[2]);
    const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
    walk(text, widths);  // brings the file into the page cache
    const auto start = std::chrono::steady_clock::now();
    const Walk result = walk(text, widths);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    fmt::print(
        "{{\"rows\": {}, \"bytes\": {}, \"seconds\": {:.6f}, \"rows_per_second\": {:.0f}, \"buckets_sum\": "
        "{}}}\n",
        result.rows, text.size(), seconds, static_cast<double>(result.rows) / seconds, result.buckets_sum);
    return 0;
  } catch (const widehash::Error& error) {
    fmt::print(stderr, "naive_loop: {}\n", error.what());
    return 1;
  }
}
