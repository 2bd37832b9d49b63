#pragma once

/// \file
/// The ways to cut an input into blocks: read it in order (stream_blocks.hpp), or leave it on disk as byte
/// ranges (file_blocks.hpp, and quoted_file_blocks.hpp where quotes may hide line ends).

#include <widehash/internal/block_reader.hpp>

#include <cstdint>

namespace widehash::detail {

class BlockSequence {
 public:
  virtual ~BlockSequence() = default;
  /// As BlockReader::next().
  virtual bool next(Block& block) = 0;
  /// As BlockReader::position().
  virtual std::uint64_t position() const noexcept = 0;
};

}  // namespace widehash::detail
