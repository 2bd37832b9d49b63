#include "table_writer.hpp"

#include "table_codes.hpp"

#include <widehash/code.hpp>

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace widehash::detail {

std::uint32_t table_width(const Feature& feature, HashKind hash) noexcept {
  if (feature.cardinality != 0) return split_width(feature.cardinality);
  const std::uint64_t widest = hash == HashKind::xxh64 ? std::uint64_t{1} << 16 : std::uint64_t{1} << 29;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>((feature.buckets + num_splits - 1) / num_splits, min_split_width, widest));
}

std::string table_file_name(std::size_t position, const std::string& feature) {
  constexpr std::size_t longest = 80;  // file systems allow 255 bytes
  std::string name = feature.substr(0, longest);
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.';
    if (!plain) c = '_';
  }
  return fmt::format("{:03}-{}.table", position, name);
}

std::string table_metadata(const TableSource& source, const Feature& feature, std::uint64_t num_values,
                           std::uint64_t total_count) {
  const Schema& schema = source.schema;
  const nlohmann::ordered_json metadata = {{"feature", feature.name},
                                           {"schema_fingerprint", source.fingerprint},
                                           {"encoding", to_string(feature.encoding)},
                                           {"cardinality", feature.cardinality},
                                           {"buckets", feature.buckets},
                                           {"width", table_width(feature, schema.hash)},
                                           {"hash", to_string(schema.hash)},
                                           {"seed", schema.seed},
                                           {"num_values", num_values},
                                           {"total_count", total_count}};
  return metadata.dump();
}

TableWriter::TableWriter(const std::string& path, const std::string& directory, const TableSource& source,
                         const Feature& feature, std::size_t buffer_bytes)
    : source_(source),
      feature_(feature),
      wide_(source.schema.hash == HashKind::xxh3_128),
      file_(path, "table"),
      values_(file_, buffer_bytes),
      hashes_(directory, buffer_bytes),
      hashes_low_(directory, buffer_bytes),
      counts_(directory, buffer_bytes),
      offsets_(directory, buffer_bytes),
      scratch_(buffer_bytes) {
  file_.begin_section("values");
  offsets_.append_value(std::uint64_t{0});
}

void TableWriter::add(const ValueRecord& record) {
  record.for_each_piece(scratch_,
                        [this](std::string_view part) { values_.append(std::as_bytes(std::span(part))); });
  values_bytes_ += record.length;
  hashes_.append_value(record.hash.high);
  if (wide_) hashes_low_.append_value(record.hash.low);
  counts_.append_value(record.count);
  offsets_.append_value(values_bytes_);
  ++num_values_;
  total_count_ += record.count;
}

template <class Each>
void TableWriter::for_each_chunk(const TempFile& column, const Each& each) {
  for (std::uint64_t offset = 0; offset < column.size_bytes();) {
    const auto size =
        static_cast<std::size_t>(std::min<std::uint64_t>(scratch_.size(), column.size_bytes() - offset));
    const auto chunk = std::span(scratch_).first(size);
    column.read(offset, chunk);
    each(chunk);
    offset += size;
  }
}

void TableWriter::write_column(const char* name, const TempFile& column) {
  file_.begin_section(name);
  for_each_chunk(column, [this](std::span<const std::byte> chunk) { file_.append(chunk); });
}

void TableWriter::write_codes() {
  TableCodes codes(table_width(feature_, source_.schema.hash), wide_);
  std::array<std::uint64_t, TableCodes::batch> high{};
  std::array<std::uint64_t, TableCodes::batch> low{};
  file_.begin_section("codes");
  for (std::uint64_t begin = 0; begin < num_values_; begin += high.size()) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(high.size(), num_values_ - begin));
    const auto read = [&](const TempFile& column, std::span<std::uint64_t> hashes) {
      column.read(begin * sizeof(std::uint64_t), std::as_writable_bytes(hashes));
    };
    read(hashes_, std::span(high).first(count));
    if (wide_) read(hashes_low_, std::span(low).first(count));
    file_.append(std::as_bytes(codes.of(std::span(high).first(count), std::span(low).first(count))));
  }
}

WrittenTable TableWriter::finish() {
  values_.flush();
  write_column("hashes", hashes_);
  if (wide_) write_column("hashes_low", hashes_low_);
  write_column("counts", counts_);
  write_codes();
  write_column("value_offsets", offsets_);
  return {num_values_,
          file_.finish(table_metadata(source_, feature_, num_values_, total_count_), Flush::later)};
}

}  // namespace widehash::detail
