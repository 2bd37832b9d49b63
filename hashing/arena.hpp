#pragma once

/// \file
/// Bytes that live until all are dropped at once. One thread at a time.

#include "memory_ledger.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace widehash::detail {

class Arena {
 public:
  explicit Arena(MemoryLedger& ledger);
  /// Room for `bytes`, unaligned; null where the ledger has none.
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
