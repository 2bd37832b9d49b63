#pragma once

/// \file
/// A buffer in front of a section that is being written, so that small pieces reach the file together.

#include <widehash/internal/section_file.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace widehash::detail {

class SectionBuffer {
 public:
  /// `file` must outlive the buffer. Until flush(), write to it only through the buffer.
  SectionBuffer(SectionWriter& file, std::size_t buffer_bytes) : file_(file), buffer_bytes_(buffer_bytes) {
    buffer_.reserve(buffer_bytes);
  }

  void append(std::span<const std::byte> bytes) {
    if (buffer_.size() + bytes.size() > buffer_bytes_) flush();
    if (bytes.size() > buffer_bytes_) {
      file_.append(bytes);
    } else {
      buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    }
  }
  template <class Value>
  void append_value(const Value& value) {
    append(std::as_bytes(std::span(&value, 1)));
  }
  /// Must be called at the end of a section.
  void flush() {
    file_.append(buffer_);
    buffer_.clear();
  }

 private:
  SectionWriter& file_;
  std::size_t buffer_bytes_;
  std::vector<std::byte> buffer_;
};

}  // namespace widehash::detail
