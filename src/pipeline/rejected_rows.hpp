#pragma once

/// \file
/// Rows that could not be used: told apart, counted, and written to `rejected.tsv` for their owner.

#include <cstdint>
#include <string>
#include <vector>

namespace widehash {

struct RejectedRow {
  std::string file;
  std::uint64_t line = 0;  // in the file, from 1
  std::string reason;
  std::string text;        // the beginning of the row
};

/// Keeps at most `max_bad_rows` rows.
class RejectedRows {
 public:
  explicit RejectedRows(std::uint64_t max_bad_rows, std::string path)
      : max_bad_rows_(max_bad_rows), path_(std::move(path)) {}

  /// Throws DataError for the row that is one too many, after writing the file with all rows before it and itself.
  void add(RejectedRow row);
  /// Writes the file where a row was rejected and removes a stale one where none was.
  void write() const;

  std::uint64_t count() const noexcept { return rows_.size(); }
  /// Path of the file, or "" where nothing was rejected.
  std::string written_path() const { return rows_.empty() ? std::string() : path_; }

 private:
  std::uint64_t max_bad_rows_;
  std::string path_;
  std::vector<RejectedRow> rows_;
};

}  // namespace widehash
