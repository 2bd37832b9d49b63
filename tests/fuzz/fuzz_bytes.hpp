#pragma once

/// \file
/// The input of a target: a few choices first, then the text or file under test. Past the end, every choice
/// is 0.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace widehash::fuzz {

class FuzzBytes {
 public:
  FuzzBytes(const std::uint8_t* data, std::size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}

  std::uint8_t byte() { return take<std::uint8_t>(); }

  template <class T>
  T take() {
    T value{};
    const std::size_t count = rest_.size() < sizeof value ? rest_.size() : sizeof value;
    if (count > 0) std::memcpy(&value, rest_.data(), count);
    rest_.remove_prefix(count);
    return value;
  }

  /// Everything up to the next `end`, which is taken too; everything left if there is none.
  std::string_view up_to(std::string_view end) {
    const std::size_t found = rest_.find(end);
    const std::string_view taken = rest_.substr(0, found);
    rest_ = found == std::string_view::npos ? std::string_view() : rest_.substr(found + end.size());
    return taken;
  }

  bool empty() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace widehash::fuzz
