#pragma once

/// \file
/// The memory about to be allocated on a device, item by item, so that a training that does not fit is
/// refused, with the arithmetic, before any of it is allocated.

#include "device_context.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace widehash::cuda {

class MemoryNeed {
 public:
  /// Adds `count` items of `bytes_each` bytes. Throws DeviceError if the product exceeds 64 bits.
  void add(std::string what, std::uint64_t count, std::size_t bytes_each);

  std::uint64_t bytes() const noexcept { return bytes_; }
  /// "first layer 1,000,000 x 4 B = 4.0 MB, ...; 12.0 MB in total"
  std::string text() const;

  /// Throws DeviceError with text(), the free memory and `hint` if the device has less memory free than
  /// bytes().
  void require(const DeviceContext& context, const std::string& hint = {}) const;

 private:
  struct Item {
    std::string what;
    std::uint64_t count = 0;
    std::size_t bytes_each = 0;
  };
  std::vector<Item> items_;
  std::uint64_t bytes_ = 0;
};

/// "12.5 MB"
std::string memory_text(std::uint64_t bytes);

}  // namespace widehash::cuda
