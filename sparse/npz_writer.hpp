#pragma once

/// \file
/// Writes numpy's `.npz`: a ZIP file of `.npy` arrays. Arrays are streamed in one pass and stored, not
/// deflated, with the 64-bit fields of ZIP64 throughout, so that no size is a special case. Times are fixed:
/// the same arrays give the same bytes.

#include <widehash/internal/file.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash::detail {

class NpzWriter {
 public:
  explicit NpzWriter(std::string path) : file_(std::move(path)) {}

  /// Starts the array `name`. `dtype` is numpy's ("<i8", "<f4", "|S3"); an empty `shape` is a scalar. The
  /// bytes appended until the next call must be as many items as the shape says, in C order.
  void begin_array(std::string name, std::string_view dtype, const std::vector<std::uint64_t>& shape);
  void append(std::span<const std::byte> bytes);
  /// Ends the last array, writes the directory of the archive and puts the file in place.
  void finish();

 private:
  struct Entry {
    std::string name;
    std::uint64_t offset = 0;  // of its local header
    std::uint64_t bytes = 0;
    std::uint32_t crc = 0;
  };

  void end_array();

  AtomicFile file_;
  std::vector<Entry> entries_;
  bool in_array_ = false;
};

}  // namespace widehash::detail
