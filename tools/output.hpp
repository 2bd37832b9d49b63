#pragma once

/// \file
/// Where results go. A failed write (full disk, closed pipe) is always reported as an error.

#include <widehash/internal/file.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace widehash::tools {

/// Writes `text` to standard output. Throws FileError.
void write_standard_output(std::string_view text);

/// Writes one or several lines to standard error, where they do not get into what a script reads. For work
/// that ended well but may not have done what its user wanted.
void write_warning(std::string_view text);

/// Returns the descriptor of this process that `path` refers to: 1 for /dev/stdout and for links that lead
/// there; nullopt for other paths.
std::optional<int> own_descriptor(const std::string& path);

/// Checks, before the work begins, that a file can be put in place at `path`. Throws ConfigError if a folder,
/// a device or a pipe is there, which a file would replace, and FileError if its folder cannot be written to.
void require_file_place(const std::string& path);
/// Throws ConfigError for "-", which stands for standard output in commands that write a file.
void require_folder_name(const std::string& path);
/// For output that may replace any existing file, such as predictions. Throws ConfigError if the file at
/// `path` took longer to make: a schema, or a file that this program wrote in a format of its own.
void refuse_valued_file(const std::string& path);

/// Whether a file can be made at `path`: false if it refers to standard output, a device or a pipe.
bool is_place_for_file(const std::string& path);

/// Writes text piece by piece to `path`. "-" is standard output; a device or a pipe is written to directly; a
/// file appears in its place when finish() is called, and not at all without that call.
class TextOutput {
 public:
  /// Throws FileError.
  explicit TextOutput(std::string path);
  ~TextOutput();
  TextOutput(const TextOutput&) = delete;
  TextOutput& operator=(const TextOutput&) = delete;

  void write(std::string_view text);
  void finish();

 private:
  void flush();

  std::string path_;
  int descriptor_ = -1;             // of a device, a pipe or standard output
  std::unique_ptr<FileLock> lock_;  // on the file, so that two programs do not write it at once
  std::unique_ptr<AtomicFile> file_;
  std::string buffer_;
};

}  // namespace widehash::tools
