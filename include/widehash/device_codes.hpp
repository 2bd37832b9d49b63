#pragma once

#include <cstdint>

struct CUstream_st;  // what a cudaStream_t points to

namespace widehash {

/// Codes and columns of a batch in the memory of a CUDA device, owned elsewhere. They are laid out either row
/// by row, as in code_batch.hpp, or slot by slot, as the training kernels read them. Trivially copyable.
struct DeviceCodes {
  // [num_rows x layout.code_stride], or [layout.wide_codes x slot_stride]
  std::uint16_t* codes = nullptr;
  // [num_rows x layout.column_stride], or [layout.column_stride x slot_stride]
  std::uint32_t* columns = nullptr;
  // 0: row by row; otherwise the distance from one slot to the next, at least num_rows
  std::uint64_t slot_stride = 0;
  // [layout.byte_codes x slot_stride]; row by row they are part of `codes`
  std::uint8_t* byte_codes = nullptr;
  // The stream on which they are written and then read; null: CUDA's default stream
  CUstream_st* stream = nullptr;

  bool is_null() const noexcept { return codes == nullptr && columns == nullptr && byte_codes == nullptr; }
};

}  // namespace widehash
