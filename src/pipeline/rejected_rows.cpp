#include "rejected_rows.hpp"

#include <widehash/error.hpp>
#include <widehash/file.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <string_view>

namespace widehash {
namespace {

// Keeps a row on one line and its columns apart, whatever bytes it holds.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\t') {
      out += "\\t";
    } else if (c == '\\') {
      out += "\\\\";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

void RejectedRows::add(RejectedRow row) {
  rows_.push_back(std::move(row));
  if (rows_.size() <= max_bad_rows_) return;
  const RejectedRow& last = rows_.back();
  if (max_bad_rows_ == 0) {
    throw DataError(last.file, last.line,
                    last.reason + "; mend the row, or set bad rows aside with --max-bad-rows N");
  }
  write();
  throw DataError(last.file, last.line,
                  fmt::format("{}; that is bad row {} where --max-bad-rows allows {}; all of them are in {}", last.reason,
                              rows_.size(), max_bad_rows_, path_));
}

void RejectedRows::write() const {
  if (rows_.empty()) {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
    return;
  }
  std::string text = "file\tline\treason\ttext\n";
  for (const RejectedRow& row : rows_) {
    text += fmt::format("{}\t{}\t{}\t{}\n", escaped(row.file), row.line, escaped(row.reason), escaped(row.text));
  }
  write_text_file(path_, text);
}

}  // namespace widehash
