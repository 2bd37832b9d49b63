#pragma once

/// \file
/// The slots of a layout that reach a range of columns, on the host and on a device.

#include "cuda/device_buffer.hpp"
#include "device_rows.hpp"

#include <widehash/code_layout.hpp>
#include <widehash/internal/column_range.hpp>

#include <cstddef>
#include <vector>

namespace widehash::cuda {

class SlotPlanCopy {
 public:
  SlotPlanCopy(const DeviceContext& context, const CodeLayout& layout, ColumnRange range);

  const std::vector<DeviceSlot>& codes() const noexcept { return codes_; }
  const std::vector<DeviceSlot>& byte_codes() const noexcept { return byte_codes_; }
  const std::vector<DeviceSlot>& columns() const noexcept { return columns_; }
  const std::vector<DeviceSlot>& numbers() const noexcept { return numbers_; }
  /// The plan that kernels take.
  const DevicePlan& device() const noexcept { return device_; }

 private:
  std::vector<DeviceSlot> codes_;
  std::vector<DeviceSlot> byte_codes_;
  std::vector<DeviceSlot> columns_;
  std::vector<DeviceSlot> numbers_;
  DeviceBuffer<DeviceSlot> slots_;  // all of them
  DevicePlan device_;
};

}  // namespace widehash::cuda
