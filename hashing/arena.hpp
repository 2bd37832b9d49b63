#pragma once

/// \file
/// An arena of bytes that are all freed at once. Not thread-safe.

#include "memory_ledger.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace widehash::detail {

class Arena {
 public:
  explicit Arena(MemoryLedger& ledger);
  /// Returns room for `bytes` bytes, unaligned, or null if the ledger has none left.
  char* allocate(std::size_t bytes);
  void clear() noexcept;

 private:
  MemoryLedger* ledger_;
  std::uint64_t largest_chunk_bytes_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::uint64_t held_bytes_ = 0;
  char* free_begin_ = nullptr;
  char* free_end_ = nullptr;
};

}  // namespace widehash::detail
