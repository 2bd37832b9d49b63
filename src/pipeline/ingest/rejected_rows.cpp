#include "rejected_rows.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/escaped_text.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/internal/move_file.hpp>

#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

namespace widehash {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{64} << 10;

bool is_empty_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && std::filesystem::file_size(path, ignored) == 0;
}

}  // namespace

bool is_rejected_list(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::string start(rejected_heading.size(), '\0');
  std::ifstream(path, std::ios::binary).read(start.data(), static_cast<std::streamsize>(start.size()));
  return start == rejected_heading;
}

void remove_rejected_list(const std::string& path) {
  std::error_code ignored;
  if (is_rejected_list(path) || is_empty_file(path)) std::filesystem::remove(path, ignored);
}

void require_place_for_list(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored) || is_rejected_list(path) || is_empty_file(path)) return;
  throw ConfigError(
      fmt::format("{}: the list of bad rows would overwrite this file, which is not such a list; move it "
                  "away, or choose another place",
                  path));
}

std::string kept_list(const std::string& directory, std::uint64_t rejected_rows) {
  const std::string list = in_folder(directory, rejected_name);
  return rejected_rows > 0 && file_exists(list) ? list : std::string();
}

void require_allowed_rejects(const std::string& directory, std::string_view what, std::uint64_t rejected_rows,
                             std::uint64_t max_bad_rows) {
  if (rejected_rows <= max_bad_rows) return;
  throw ConfigError(
      fmt::format("{}: the {} there left out {} bad row{}, but --max-bad-rows allows {}; allow that many, or "
                  "fix the rows and give --overwrite",
                  directory, what, rejected_rows, rejected_rows == 1 ? "" : "s", max_bad_rows));
}

void RejectedRows::add(const RejectedRow& row) {
  ++count_;
  if (max_bad_rows_ == 0) {
    throw DataError(row.file, row.line,
                    row.reason.str() + "; fix the row, or set bad rows aside with --max-bad-rows N");
  }
  if (!path_.empty()) write_down(row);
  if (count_ <= max_bad_rows_) return;
  finish();
  keep_list_of_failed();
  const std::string where =
      path_.empty()
          ? ""
          : fmt::format("; these {} are listed in {}, and there may be more: a larger N lists them all",
                        count_, path_of_failed_);
  throw DataError(row.file, row.line,
                  fmt::format("{}; this is bad row {}, but --max-bad-rows allows only {}{}", row.reason.str(),
                              count_, max_bad_rows_, where));
}

void RejectedRows::write_down(const RejectedRow& row) {
  if (!file_) {
    file_.emplace(path_);
    unwritten_ = rejected_heading;
  }
  append_escaped(unwritten_, row.file.str());
  unwritten_ += fmt::format("\t{}\t", row.line);
  append_escaped(unwritten_, row.reason.str());
  unwritten_ += '\t';
  append_escaped(unwritten_, row.text);
  unwritten_ += '\n';
  if (unwritten_.size() >= buffer_bytes) flush();
}

void RejectedRows::keep_list_of_failed() const {
  if (path_of_failed_ != path_) move_file(path_, path_of_failed_);
}

void RejectedRows::flush() {
  file_->write(unwritten_);
  unwritten_.clear();
}

void RejectedRows::finish() {
  if (path_.empty()) return;
  if (!file_) {
    remove_rejected_list(path_);
    return;
  }
  flush();
  file_->commit();
}

}  // namespace widehash
