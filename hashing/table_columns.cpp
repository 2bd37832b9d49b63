#include "table_columns.hpp"

#include <widehash/bucket_reducer.hpp>
#include <widehash/code.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace widehash::detail {
namespace {

class SortedMapWriter {
 public:
  SortedMapWriter(const std::string& path, const ValueMap& map, std::size_t buffer_bytes)
      : map_(map), file_(path, "table") {
    buffer_.resize(buffer_bytes);
  }

  void write_values() {
    file_.begin_section("values");
    for (std::size_t i = 0; i < map_.num_values(); ++i) {
      const ValueRecord record = map_.record(i);
      append(record.bytes, record.length);
    }
    flush();
  }

  /// A section of one number a value: pick(record).
  template <class Pick>
  void write_column(const char* name, const Pick& pick) {
    file_.begin_section(name);
    for (std::size_t i = 0; i < map_.num_values(); ++i) append_number(pick(map_.record(i)));
    flush();
  }

  void write_offsets() {
    file_.begin_section("value_offsets");
    std::uint64_t offset = 0;
    append_number(offset);
    for (std::size_t i = 0; i < map_.num_values(); ++i) append_number(offset += map_.record(i).length);
    flush();
  }

  void write_wide_codes(std::uint32_t width) {
    file_.begin_section("codes");
    for (std::size_t i = 0; i < map_.num_values(); ++i) {
      const ValueHash hash = map_.record(i).hash;
      append_number(four_split(Hash128{hash.high, hash.low}, width));
    }
    flush();
  }

  /// Eight hashes at a time take the places of eight features of one width.
  void write_codes(std::uint32_t width) {
    constexpr std::size_t group = 8;
    constexpr std::size_t rows = 64;
    std::array<std::uint32_t, group> widths{};
    widths.fill(width);
    const BucketReducer reducer(widths);
    std::array<std::uint64_t, group * rows> hashes{};
    std::array<std::uint16_t, group * rows * num_splits> codes{};
    std::array<std::uint32_t, group * rows * num_splits> out{};
    file_.begin_section("codes");
    for (std::size_t begin = 0; begin < map_.num_values(); begin += hashes.size()) {
      const std::size_t count = std::min(hashes.size(), map_.num_values() - begin);
      for (std::size_t i = 0; i < count; ++i) hashes[i] = map_.record(begin + i).hash.high;
      reducer.reduce(hashes.data(), group, (count + group - 1) / group, codes.data(), group * num_splits);
      std::copy(codes.begin(), codes.end(), out.begin());
      append(reinterpret_cast<const char*>(out.data()), count * num_splits * sizeof out[0]);
    }
    flush();
  }

  std::uint64_t finish(const std::string& metadata) { return file_.finish(metadata); }

 private:
  template <class Number>
  void append_number(const Number& number) {
    append(reinterpret_cast<const char*>(&number), sizeof number);
  }

  void append(const char* bytes, std::size_t size) {
    if (size > buffer_.size() - used_) {
      flush();
      if (size > buffer_.size()) {
        file_.append(std::as_bytes(std::span(bytes, size)));
        return;
      }
    }
    if (size > 0) std::memcpy(buffer_.data() + used_, bytes, size);
    used_ += size;
  }

  void flush() {
    file_.append(std::as_bytes(std::span(buffer_.data(), used_)));
    used_ = 0;
  }

  const ValueMap& map_;
  SectionWriter file_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
};

}  // namespace

WrittenTable write_sorted_map(const std::string& path, const TableSource& source, const Feature& feature,
                              const ValueMap& map, std::size_t buffer_bytes) {
  const Schema& schema = source.schema;
  const bool wide = schema.hash == HashKind::xxh3_128;
  const std::uint32_t width = table_width(feature, schema.hash);
  SortedMapWriter writer(path, map, buffer_bytes);
  std::uint64_t total_count = 0;
  writer.write_values();
  writer.write_column("hashes", [](const ValueRecord& record) { return record.hash.high; });
  if (wide) writer.write_column("hashes_low", [](const ValueRecord& record) { return record.hash.low; });
  writer.write_column("counts", [&total_count](const ValueRecord& record) {
    total_count += record.count;
    return record.count;
  });
  if (wide) {
    writer.write_wide_codes(width);
  } else {
    writer.write_codes(width);
  }
  writer.write_offsets();
  const std::uint64_t num_values = map.num_values();
  return {num_values, writer.finish(table_metadata(source, feature, num_values, total_count))};
}

}  // namespace widehash::detail
