#pragma once

/// \file
/// What the library's file readers make of bytes.

#include "claims.hpp"
#include "memory_file.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/byte_source.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace widehash::fuzz {

/// No more than this is read: a kilobyte of deflate can hold a megabyte of zeros.
inline constexpr std::size_t max_text_bytes = std::size_t{1} << 15;

/// The text of a file, read in pieces of `piece_bytes`. Returns nullopt if the library refuses the file or
/// takes it for one that is not compressed in this way. Of a longer text, returns the first `max_text_bytes`
/// or slightly more.
inline std::optional<std::string> text_of_file(std::string_view bytes, std::size_t piece_bytes,
                                               Compression compression) {
  static MemoryFile file;
  file.set(bytes);
  try {
    const auto source = open_source({.path = file.path(), .size_bytes = bytes.size()});
    if (source->compression() != compression) return std::nullopt;
    std::string text;
    std::string piece(piece_bytes, '\0');
    while (text.size() <= max_text_bytes) {
      const std::size_t count = source->read(piece);
      text.append(piece, 0, count);
      require(source->position() <= bytes.size(), "the position is inside the file");
      if (count < piece.size()) break;
    }
    return text;
  } catch (const DataError&) {
    return std::nullopt;
  }
}

}  // namespace widehash::fuzz
