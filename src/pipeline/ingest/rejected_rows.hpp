#pragma once

/// \file
/// Rows that could not be used: told apart, counted, and written to `rejected.tsv` for their owner.

#include "common_text.hpp"

#include <widehash/internal/file.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// The first line of a list of bad rows.
inline constexpr std::string_view rejected_heading = "file\tline\treason\ttext\n";

/// Whether the file, which is there, is such a list. Reads no more than that line.
bool is_rejected_list(const std::string& path);
/// Removes the file, if it is such a list, or empty.
void remove_rejected_list(const std::string& path);
/// Throws ConfigError where anything else is there that is not empty.
void require_place_for_list(const std::string& path);

/// Where a delimiter is wrong all rows of a block are bad, for the same reason: what they have in common is there once.
struct RejectedRow {
  CommonText file;
  std::uint64_t line = 0;  // in the file, from 1
  CommonText reason;
  std::string text;         // the beginning of the row
  std::uint64_t row = 0;    // of its block, from 0; kept only where a run needs a place for it
  bool has_fields = false;  // was cut into as many as are asked for
};

/// What they take in memory, about. A reason counts once for the rows in a row that share it.
inline std::uint64_t bytes_of(const std::vector<RejectedRow>& rows) {
  std::uint64_t bytes = rows.size() * sizeof(RejectedRow);
  const std::string* reason = nullptr;
  for (const RejectedRow& row : rows) {
    bytes += row.text.size();
    if (&row.reason.str() == reason) continue;
    reason = &row.reason.str();
    bytes += sizeof(std::string) + reason->size();
  }
  return bytes;
}

/// Of what an earlier run has finished, named by `what`: it may have been allowed more bad rows than this
/// one, which must not pass for it. Throws ConfigError where `rejected_rows` are more than `max_bad_rows`.
void require_allowed_rejects(const std::string& directory, std::string_view what, std::uint64_t rejected_rows,
                             std::uint64_t max_bad_rows);

/// Of a finished run that left out `rejected_rows`: its list of them, "" where there is none or it is gone.
std::string kept_list(const std::string& directory, std::uint64_t rejected_rows);

/// Counts bad rows and writes them down as they come, so that memory does not grow with them.
class RejectedRows {
 public:
  /// The file is `path`; where rows are too many, `path_of_failed`, which is in the same file system. Without
  /// a path rows are counted and not written down.
  RejectedRows(std::uint64_t max_bad_rows, std::string path, std::string path_of_failed)
      : max_bad_rows_(max_bad_rows), path_(std::move(path)), path_of_failed_(std::move(path_of_failed)) {}

  /// Throws DataError for the row that is one too many, after putting the file in place with all rows before
  /// it and itself (where none is allowed, the message says it all and there is no file).
  void add(const RejectedRow& row);
  /// Puts the file in place where a row was rejected and removes a stale one where none was. Call once, at
  /// the end.
  void finish();

  std::uint64_t count() const noexcept { return count_; }
  /// Path of the file, or "" where nothing was rejected or there is none.
  std::string written_path() const { return count_ == 0 ? std::string() : path_; }

 private:
  void write_down(const RejectedRow& row);
  void flush();
  void keep_list_of_failed() const;

  std::uint64_t max_bad_rows_;
  std::string path_;
  std::string path_of_failed_;
  std::uint64_t count_ = 0;
  std::optional<AtomicFile> file_;
  std::string unwritten_;
};

}  // namespace widehash
