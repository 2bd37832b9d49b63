#pragma once

/// \file
/// Rows and slots as kernels see them. The codes of a batch are stored slot by slot, so that the threads of a
/// warp, one row each, read neighbouring codes, and so that the gradient of one slot's columns reads only
/// that slot:
///
///     codes[slot * stride + row]     byte_codes, columns and numbers likewise
///     ragged[ragged_offsets[row] .. ragged_offsets[row + 1]]

#include <cstdint>

namespace widehash::cuda {

/// A batch in the memory of a device. Trivially copyable; owns nothing.
struct DeviceRows {
  std::uint64_t num_rows = 0;
  std::uint64_t stride = 0;  // rows from one slot to the next
  const std::uint16_t* codes = nullptr;
  const std::uint8_t* byte_codes = nullptr;
  const std::uint32_t* columns = nullptr;
  const float* numbers = nullptr;
  const std::uint64_t* ragged_offsets = nullptr;
  const std::uint32_t* ragged = nullptr;
  std::uint64_t num_ragged = 0;
  const float* targets = nullptr;
  const float* weights = nullptr;  // null: every row weighs 1
};

/// A slot. Its content + shift, modulo 2^32, is a row of the first layer's arrays if it is below their number
/// of rows. Ranges have at most 2^31 columns, so a column before the range wraps around to a number beyond
/// it. A thread loads a slot at once.
struct alignas(16) DeviceSlot {
  std::uint32_t slot = 0;
  std::uint32_t absent = 0;       // content that stands for no value
  std::uint32_t shift = 0;        // of a number slot: the row itself
  std::uint32_t num_columns = 0;  // the content is below this, unless it is absent
};

/// The slots of a layout that reach columns of a range.
struct DevicePlan {
  const DeviceSlot* codes = nullptr;
  const DeviceSlot* byte_codes = nullptr;
  const DeviceSlot* columns = nullptr;
  const DeviceSlot* numbers = nullptr;
  std::uint32_t num_codes = 0;
  std::uint32_t num_byte_codes = 0;
  std::uint32_t num_columns = 0;
  std::uint32_t num_numbers = 0;
  bool has_ragged = false;
  std::uint64_t num_rows = 0;  // columns of the range
  std::int64_t first_column = 0;
};

}  // namespace widehash::cuda
