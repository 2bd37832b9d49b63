#pragma once

/// \file
/// Writes one lookup table from values that come in order. Values go straight to the file; the other columns,
/// which come after them in it, wait in scratch files when they are many. Memory: about seven times
/// `buffer_bytes`.

#include "section_buffer.hpp"
#include "value_record.hpp"

#include <widehash/internal/section_file.hpp>
#include <widehash/internal/temp_file.hpp>
#include <widehash/schema.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace widehash::detail {

/// Width of the four-split codes in a feature's table: of its cardinality, or, for one_hot that only gives
/// `buckets`, the width whose 4 m columns are nearest to as many. Requires a hashed feature.
std::uint32_t table_width(const Feature& feature, HashKind hash) noexcept;

/// "007-name.table", with what is not a letter, digit, '-', '_' or '.' replaced. The position keeps names
/// apart.
std::string table_file_name(std::size_t position, const std::string& feature);

struct WrittenTable {
  std::uint64_t num_values = 0;
  std::uint64_t checksum = 0;  // SectionFile::footer_checksum()
};

/// Of the schema, which is asked once: with very many features a fingerprint takes a while.
struct TableSource {
  const Schema& schema;
  std::string fingerprint;
};

std::string table_metadata(const TableSource& source, const Feature& feature, std::uint64_t num_values,
                           std::uint64_t total_count);

class TableWriter {
 public:
  /// `path` is the table's; scratch files go to `directory`. `source` and `feature` must outlive the writer.
  TableWriter(const std::string& path, const std::string& directory, const TableSource& source,
              const Feature& feature, std::size_t buffer_bytes);

  /// Values in the order of the table, each once.
  void add(const ValueRecord& record);

  /// The file is not flushed.
  WrittenTable finish();

 private:
  template <class Each>
  void for_each_chunk(const TempFile& column, const Each& each);
  void write_column(const char* name, const TempFile& column);
  void write_codes();

  const TableSource& source_;
  const Feature& feature_;
  const bool wide_;
  SectionWriter file_;
  SectionBuffer values_;
  TempFile hashes_;
  TempFile hashes_low_;
  TempFile counts_;
  TempFile offsets_;
  std::vector<std::byte> scratch_;
  std::uint64_t num_values_ = 0;
  std::uint64_t total_count_ = 0;
  std::uint64_t values_bytes_ = 0;
};

}  // namespace widehash::detail
