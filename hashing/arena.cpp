#include "arena.hpp"

#include <algorithm>

namespace widehash::detail {
namespace {

constexpr std::uint64_t smallest_chunk_bytes = std::uint64_t{4} << 10;

}  // namespace

Arena::Arena(MemoryLedger& ledger)
    : ledger_(&ledger),
      largest_chunk_bytes_(std::clamp<std::uint64_t>(ledger.limit_bytes() / 256, std::uint64_t{64} << 10,
                                                     std::uint64_t{4} << 20)) {}

char* Arena::allocate(std::size_t bytes) {
  if (static_cast<std::size_t>(free_end_ - free_begin_) < bytes) {
    // The chunk is small compared with what is held and with the limit, so the unused end of the last chunk
    // is small as well: there may be thousands of arenas under one ledger.
    const auto usual =
        static_cast<std::size_t>(std::clamp(held_bytes_ / 4, smallest_chunk_bytes, largest_chunk_bytes_));
    // A long value gets a chunk of its own, and the current chunk continues to be filled.
    const bool alone = bytes > usual / 4;
    const std::size_t chunk_bytes = alone ? bytes : usual;
    if (!ledger_->take(chunk_bytes)) return nullptr;
    held_bytes_ += chunk_bytes;
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(chunk_bytes));
    if (alone) return chunks_.back().get();
    free_begin_ = chunks_.back().get();
    free_end_ = free_begin_ + chunk_bytes;
  }
  char* const result = free_begin_;
  free_begin_ += bytes;
  return result;
}

void Arena::clear() noexcept {
  chunks_.clear();
  ledger_->give_back(held_bytes_);
  held_bytes_ = 0;
  free_begin_ = free_end_ = nullptr;
}

}  // namespace widehash::detail
