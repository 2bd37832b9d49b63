#include <widehash/value_column.hpp>

#include <memory>

namespace widehash {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{64} << 10;

}  // namespace

char* TextRoom::begin(std::size_t bytes) {
  if (bytes > chunk_bytes) {
    free_ = large_.emplace_back(std::make_unique_for_overwrite<char[]>(bytes)).get();
    end_ = free_ + bytes;
  } else if (static_cast<std::size_t>(end_ - free_) < bytes) {
    if (used_chunks_ == chunks_.size()) {
      chunks_.push_back(std::make_unique_for_overwrite<char[]>(chunk_bytes));
    }
    free_ = chunks_[used_chunks_++].get();
    end_ = free_ + chunk_bytes;
  }
  return free_;
}

std::string_view TextRoom::keep(const char* end) noexcept {
  const std::string_view text(free_, static_cast<std::size_t>(end - free_));
  free_ += text.size();
  return text;
}

void TextRoom::clear() noexcept {
  used_chunks_ = 0;
  large_.clear();
  free_ = end_ = nullptr;
}

}  // namespace widehash
