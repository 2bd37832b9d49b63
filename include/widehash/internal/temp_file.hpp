#pragma once

/// \file
/// Scratch space on disk for data that may exceed the memory budget. The file has no name once it is open, so
/// nothing is left behind however the process ends. It is created only when the buffer overflows, so small
/// data never touches the disk.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace widehash {

class TempFile {
 public:
  /// Holds up to `buffer_bytes` in memory.
  TempFile(std::string directory, std::size_t buffer_bytes);
  ~TempFile();
  TempFile(TempFile&& other) noexcept;
  TempFile& operator=(TempFile&& other) noexcept;

  /// Throws FileError naming the directory, for example if the disk is full.
  void append(std::span<const std::byte> bytes);
  template <class T>
  void append_value(const T& value) {
    append(std::as_bytes(std::span(&value, 1)));
  }
  std::uint64_t size_bytes() const noexcept { return flushed_bytes_ + buffer_.size(); }

  /// Writes out what is buffered and releases the buffer's memory.
  void release_buffer();

  /// Fills `bytes` from `offset` on. Requires that this range was appended.
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;

 private:
  void flush();
  void close() noexcept;

  std::string directory_;
  std::size_t buffer_bytes_;
  int descriptor_ = -1;
  std::uint64_t flushed_bytes_ = 0;
  std::vector<std::byte> buffer_;
};

}  // namespace widehash
