#pragma once

/// \file
/// Where results go. A write that fails (full disk, closed pipe) is an error, never silence.

#include <widehash/internal/file.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace widehash::tools {

/// Throws FileError.
void write_standard_output(std::string_view text);

/// One or several lines on the standard error, where nothing is in the way of what a script reads: of work that
/// has ended well and may not be what its user wanted.
void write_warning(std::string_view text);

/// The descriptor of this process that `path` stands for: 1 for /dev/stdout, and for links that lead there.
std::optional<int> own_descriptor(const std::string& path);

/// Checks, before the work begins, that a file can be put in place at `path`. Throws ConfigError where a
/// folder, a device or a pipe is in its place, which a file would replace; FileError where its folder cannot
/// be written.
void require_file_place(const std::string& path);
/// Throws ConfigError for "-", which is the standard output where files are written.
void require_folder_name(const std::string& path);
/// For what goes to a file that anybody may replace, such as predictions. Throws ConfigError where the file
/// there took longer to make: a schema, or what this program wrote in a format of its own.
void refuse_valued_file(const std::string& path);

/// Whether a file can be made at `path`: not where it stands for the standard output, a device or a pipe.
bool is_place_for_file(const std::string& path);

/// Text written piece by piece to `path`: "-" is the standard output; a device or a pipe is written as it is;
/// a file appears in its place when finish() is called, and not at all without it.
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
  int descriptor_ = -1;             // of a device, a pipe or the standard output
  std::unique_ptr<FileLock> lock_;  // of the file, so that two programs do not write it at once
  std::unique_ptr<AtomicFile> file_;
  std::string buffer_;
};

}  // namespace widehash::tools
