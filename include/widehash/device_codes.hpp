#pragma once

#include <cstdint>

struct CUstream_st;  // what a cudaStream_t points to

namespace widehash {

/// Codes and columns of a batch in the memory of a CUDA device, owned by somebody else: row by row as
/// code_batch.hpp lays them out, or slot by slot as kernels that train read them. Trivially copyable.
struct DeviceCodes {
  // [num_rows x layout.code_stride], or [layout.wide_codes x slot_stride]
  std::uint16_t* codes = nullptr;
  // [num_rows x layout.column_stride], or [layout.column_stride x slot_stride]
  std::uint32_t* columns = nullptr;
  // 0: row by row; otherwise from one slot to the next, at least num_rows
  std::uint64_t slot_stride = 0;
  // [layout.byte_codes x slot_stride]; row by row they are in `codes`
  std::uint8_t* byte_codes = nullptr;
  // On which they are written and, in its order, read; null: CUDA's default stream
  CUstream_st* stream = nullptr;

  bool is_null() const noexcept { return codes == nullptr && columns == nullptr && byte_codes == nullptr; }
};

}  // namespace widehash
