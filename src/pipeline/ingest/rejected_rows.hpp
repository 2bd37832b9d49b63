#pragma once

/// \file
/// Rows that could not be used: they are counted and written to `rejected.tsv` with their reasons.

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

/// Whether the file, which must exist, is such a list. Reads only its first line.
bool is_rejected_list(const std::string& path);
/// Removes the file if it is such a list, or empty.
void remove_rejected_list(const std::string& path);
/// Throws ConfigError where another file that is not empty is at `path`.
void require_place_for_list(const std::string& path);

/// With a wrong delimiter all rows of a block are bad for the same reason, so what they have in common is
/// shared.
struct RejectedRow {
  CommonText file;
  std::uint64_t line = 0;  // in the file, from 1
  CommonText reason;
  std::string text;         // the beginning of the row
  std::uint64_t row = 0;    // within its block, from 0; set only where a run needs it
  bool has_fields = false;  // it was split into as many fields as required
};

/// Approximate memory of `rows`. A reason counts once for consecutive rows that share it.
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

/// For the finished result of an earlier run, named by `what`: that run may have been allowed more bad rows
/// than this one. Throws ConfigError where `rejected_rows` is more than `max_bad_rows`.
void require_allowed_rejects(const std::string& directory, std::string_view what, std::uint64_t rejected_rows,
                             std::uint64_t max_bad_rows);

/// The list of bad rows of a finished run that left out `rejected_rows`; "" where there is none or it is
/// gone.
std::string kept_list(const std::string& directory, std::uint64_t rejected_rows);

/// Counts bad rows and writes them as they come, so that memory does not grow with their number.
class RejectedRows {
 public:
  /// The list is written to `path`, or to `path_of_failed` where there are too many bad rows; both must be in
  /// the same file system. If `path` is empty, rows are counted but not written.
  RejectedRows(std::uint64_t max_bad_rows, std::string path, std::string path_of_failed)
      : max_bad_rows_(max_bad_rows), path_(std::move(path)), path_of_failed_(std::move(path_of_failed)) {}

  /// Throws DataError for the row that exceeds the limit, after putting the file in place with all rows up to
  /// and including it. Where no bad row is allowed, there is no file, because the message says everything.
  void add(const RejectedRow& row);
  /// Puts the file in place where a row was rejected; otherwise removes a stale one. Call it once, at the
  /// end.
  void finish();

  std::uint64_t count() const noexcept { return count_; }
  /// The path of the file; "" where nothing was rejected or there is no file.
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
