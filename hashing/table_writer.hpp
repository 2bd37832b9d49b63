#pragma once

/// \file
/// Writes one lookup table from values that arrive in order. Values are written directly to the file. The
/// other columns follow them in the file and are kept in scratch files until then if they are large. Memory:
/// about seven times `buffer_bytes`.

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

/// Returns the width of the four-split codes in a feature's table: the width of its cardinality or, for a
/// one_hot feature that has only `buckets`, the smallest width whose 4 m columns are at least that many,
/// within the valid widths. Requires a hashed feature.
std::uint32_t table_width(const Feature& feature, HashKind hash) noexcept;

/// Returns "007-name.table", with up to 80 bytes of the feature's name. Bytes other than letters, digits,
/// '-', '_' and '.' are replaced by '_'. The position keeps the names distinct.
std::string table_file_name(std::size_t position, const std::string& feature);

struct WrittenTable {
  std::uint64_t num_values = 0;
  std::uint64_t checksum = 0;  // SectionFile::footer_checksum()
};

/// A schema and its fingerprint, which is computed once because it takes a while with very many features.
struct TableSource {
  const Schema& schema;
  std::string fingerprint;
};

std::string table_metadata(const TableSource& source, const Feature& feature, std::uint64_t num_values,
                           std::uint64_t total_count);

class TableWriter {
 public:
  /// `path` is the table's path. Scratch files are created in `directory`. `source` and `feature` must
  /// outlive the writer.
  TableWriter(const std::string& path, const std::string& directory, const TableSource& source,
              const Feature& feature, std::size_t buffer_bytes);

  /// Values must come in the order of the table, each once.
  void add(const ValueRecord& record);

  /// Completes the file but does not flush it to disk.
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
