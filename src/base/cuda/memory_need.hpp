#pragma once

/// \file
/// What is about to be taken of a device's memory, item by item, so that a training that does not fit is
/// refused with the arithmetic before anything of it is taken.

#include "device_context.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace widehash::cuda {

class MemoryNeed {
 public:
  /// `count` things of `bytes_each`. Throws DeviceError where the product is beyond 64 bits.
  void add(std::string what, std::uint64_t count, std::size_t bytes_each);

  std::uint64_t bytes() const noexcept { return bytes_; }
  /// "first layer 1,000,000 x 4 B = 4.0 MB, ...; 12.0 MB together"
  std::string text() const;

  /// Throws DeviceError with text(), what is free and `hint` where the device has less memory free.
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
