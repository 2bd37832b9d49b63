#include "memory_need.hpp"

#include <widehash/error.hpp>

#include <array>
#include <utility>

#include <fmt/format.h>

namespace widehash::cuda {

std::string memory_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> units{"B", "KB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1000 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

void MemoryNeed::add(std::string what, std::uint64_t count, std::size_t bytes_each) {
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(count, bytes_each, &bytes) || __builtin_add_overflow(bytes_, bytes, &bytes_))
    throw DeviceError(fmt::format("{}: {} x {} B is more than any device holds", what, count, bytes_each));
  items_.push_back({std::move(what), count, bytes_each});
}

std::string MemoryNeed::text() const {
  std::string text;
  for (const Item& item : items_) {
    text += fmt::format("{}{} {} x {} B = {}", text.empty() ? "" : ", ", item.what, item.count,
                        item.bytes_each, memory_text(item.count * item.bytes_each));
  }
  return fmt::format("{}; {} in total", text, memory_text(bytes_));
}

void MemoryNeed::require(const DeviceContext& context, const std::string& hint) const {
  const DeviceMemory memory = context.memory();
  if (bytes_ <= memory.free_bytes) return;
  throw DeviceError(fmt::format("{}: only {} of {} is free; needed: {}{}{}", context.name(),
                                memory_text(memory.free_bytes), memory_text(memory.total_bytes), text(),
                                hint.empty() ? "" : ". ", hint));
}

}  // namespace widehash::cuda
