#pragma once

/// \file
/// The bytes of an input as stored on disk or received through a pipe.

#include <widehash/input.hpp>
#include <widehash/stop.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace widehash::detail {

/// Reports a file that is longer than it was when its size was taken: rows after that would be lost, and a
/// row that was only partly there would be taken for whole.
[[noreturn]] void throw_has_grown(const std::string& name);
[[noreturn]] void throw_is_shorter(const std::string& name);
[[noreturn]] void throw_has_changed(const std::string& name);

class RawFile {
 public:
  /// Opens a file or a pipe, or uses standard input for "-". Throws FileError. `stop`, which may be null and
  /// must outlive the object, ends the waits for a pipe.
  explicit RawFile(const Input& input, const StopFlag* stop = nullptr);
  ~RawFile();
  RawFile(RawFile&& other) noexcept;
  RawFile& operator=(RawFile&&) = delete;

  /// The name for messages: the path, or "standard input".
  const std::string& name() const noexcept { return name_; }

  /// Returns the first bytes, at most `count`, without consuming them; fewer only if the file is shorter.
  /// Requires: nothing has been read yet.
  std::string_view peek(std::size_t count);

  /// Fills `buffer` and returns the number of bytes; fewer than its size only at the end. Throws FileError,
  /// DataError if a file has grown or become shorter, or Stopped where it was asked to stop.
  std::size_t read(std::span<char> buffer);

  /// Returns the bytes left up to where the file ended when its size was taken; for a pipe, the largest
  /// number there is.
  std::uint64_t bytes_left() const noexcept;
  /// Throws DataError if anything follows the bytes read: the file has grown. Not for pipes.
  void require_end();

  /// Bytes returned by read() so far.
  std::uint64_t position() const noexcept { return position_; }

 private:
  std::size_t read_descriptor(std::span<char> buffer);
  void wait_for_bytes() const;

  std::string name_;
  std::uint64_t size_bytes_;
  bool is_stream_;
  const StopFlag* stop_;
  int descriptor_ = -1;
  bool owned_ = false;
  std::string peeked_;  // precedes what the descriptor still holds
  std::uint64_t position_ = 0;
};

}  // namespace widehash::detail
