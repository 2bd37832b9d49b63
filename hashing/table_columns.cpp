#include "table_columns.hpp"

#include "section_buffer.hpp"
#include "table_codes.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace widehash::detail {
namespace {

class SortedMapWriter {
 public:
  SortedMapWriter(const std::string& path, const ValueMap& map, std::size_t buffer_bytes)
      : map_(map), file_(path, "table"), buffer_(file_, buffer_bytes) {}

  void write_values() {
    file_.begin_section("values");
    for (std::size_t i = 0; i < map_.num_values(); ++i) {
      const ValueRecord record = map_.record(i);
      buffer_.append(std::as_bytes(std::span(record.bytes, record.length)));
    }
    buffer_.flush();
  }

  /// Writes a section of one number per value, pick(record).
  template <class Pick>
  void write_column(const char* name, const Pick& pick) {
    file_.begin_section(name);
    for (std::size_t i = 0; i < map_.num_values(); ++i) buffer_.append_value(pick(map_.record(i)));
    buffer_.flush();
  }

  void write_offsets() {
    file_.begin_section("value_offsets");
    std::uint64_t offset = 0;
    buffer_.append_value(offset);
    for (std::size_t i = 0; i < map_.num_values(); ++i) {
      offset += map_.record(i).length;
      buffer_.append_value(offset);
    }
    buffer_.flush();
  }

  void write_codes(std::uint32_t width, bool is_wide) {
    TableCodes codes(width, is_wide);
    std::array<std::uint64_t, TableCodes::batch> high{};
    std::array<std::uint64_t, TableCodes::batch> low{};
    file_.begin_section("codes");
    for (std::size_t begin = 0; begin < map_.num_values(); begin += high.size()) {
      const std::size_t count = std::min(high.size(), map_.num_values() - begin);
      for (std::size_t i = 0; i < count; ++i) {
        const ValueHash hash = map_.record(begin + i).hash;
        high[i] = hash.high;
        low[i] = hash.low;
      }
      buffer_.append(std::as_bytes(codes.of(std::span(high).first(count), std::span(low).first(count))));
    }
    buffer_.flush();
  }

  std::uint64_t finish(const std::string& metadata) { return file_.finish(metadata, Flush::later); }

 private:
  const ValueMap& map_;
  SectionWriter file_;
  SectionBuffer buffer_;
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
  writer.write_codes(width, wide);
  writer.write_offsets();
  const std::uint64_t num_values = map.num_values();
  return {num_values, writer.finish(table_metadata(source, feature, num_values, total_count))};
}

}  // namespace widehash::detail
