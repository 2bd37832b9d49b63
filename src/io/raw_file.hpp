#pragma once

/// \file
/// The bytes of an input as they lie on disk or come through a pipe.

#include <widehash/input.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace widehash::detail {

/// Of a file that is longer than it was when its size was taken: rows behind that would be lost, and one that
/// stood there only in part would be taken for whole.
[[noreturn]] void throw_has_grown(const std::string& name);
[[noreturn]] void throw_is_shorter(const std::string& name);
[[noreturn]] void throw_has_changed(const std::string& name);

class RawFile {
 public:
  /// Opens a file or a pipe, or takes standard input for "-". Throws FileError.
  explicit RawFile(const Input& input);
  ~RawFile();
  RawFile(RawFile&& other) noexcept;
  RawFile& operator=(RawFile&&) = delete;

  /// What messages call it: the path, or "standard input".
  const std::string& name() const noexcept { return name_; }

  /// The first bytes, at most `count`, without taking them; fewer only where the file is shorter.
  /// Requires: nothing was read yet.
  std::string_view peek(std::size_t count);

  /// Fills `buffer`; returns fewer bytes only at the end. Throws FileError; DataError where a file has grown
  /// or become shorter.
  std::size_t read(std::span<char> buffer);

  /// Bytes up to where the file ended when its size was taken, for a pipe without end.
  std::uint64_t bytes_left() const noexcept;
  /// Throws DataError where something stands behind what was read: it has grown. Not for pipes.
  void require_end();

  /// Bytes given by read() so far.
  std::uint64_t position() const noexcept { return position_; }

 private:
  std::size_t read_descriptor(std::span<char> buffer);

  std::string name_;
  std::uint64_t size_bytes_;
  bool is_stream_;
  int descriptor_ = -1;
  bool owned_ = false;
  std::string peeked_;  // in front of what the descriptor still holds
  std::uint64_t position_ = 0;
};

}  // namespace widehash::detail
