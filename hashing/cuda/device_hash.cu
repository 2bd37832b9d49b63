#include "decimal_text.hpp"
#include "device_text.cuh"

#include <widehash/device_hash.hpp>
#include <widehash/xxh64.hpp>

#include <algorithm>

#include <launch.cuh>

namespace widehash {
namespace cuda {
namespace {

constexpr unsigned block_threads = 256;
constexpr std::size_t max_blocks = 1 << 16;  // each thread loops over further values

struct Hashed {
  std::uint64_t hash = 0;
  bool is_missing = false;
};

template <class Text>
__device__ bool means_missing(const Text& text, const MissingTexts& missing) {
  const std::uint64_t length = text.length();
  if (length == 0) return true;
  if (missing.count == 0 || length > MissingTexts::max_bytes) return false;
  const std::uint64_t first = length < 8 ? text.tail(0, length) : text.word(0);
  const std::uint64_t second = length <= 8 ? 0 : length < 16 ? text.tail(8, length - 8) : text.word(8);
  for (std::uint32_t i = 0; i < missing.count; ++i) {
    if (missing.lengths[i] == length && missing.words[i][0] == first && missing.words[i][1] == second)
      return true;
  }
  return false;
}

struct NoText {
  __device__ std::uint64_t length() const { return 0; }
  __device__ std::uint64_t word(std::uint64_t) const { return 0; }
  __device__ std::uint64_t tail(std::uint64_t, std::uint64_t) const { return 0; }
};

template <class Text>
__device__ Hashed hash_text(const Text& text, std::uint64_t seed, const MissingTexts& missing) {
  if (means_missing(text, missing)) return {xxh64(NoText{}, seed), true};
  return {xxh64(text, seed), false};
}

template <class Integer>
__device__ DecimalText number_at(const DeviceColumn& column, std::size_t row) {
  return DecimalText(__ldg(static_cast<const Integer*>(column.values) + row));
}

__device__ DeviceText text_at(const DeviceColumn& column, std::uint64_t begin, std::uint64_t end) {
  return DeviceText(static_cast<const std::uint8_t*>(column.values), column.num_bytes, begin, end);
}

/// The kind is a template argument because it is the same for every value of a column. This keeps each kernel
/// small.
template <DeviceValues kind>
__device__ Hashed hash_value(const DeviceColumn& column, std::size_t row, std::uint64_t seed,
                             const MissingTexts& missing) {
  if (column.valid != nullptr && (column.valid[row / 8] >> (row % 8) & 1) == 0)
    return {xxh64(NoText{}, seed), true};
  if constexpr (kind == DeviceValues::text) {
    return hash_text(text_at(column, column.offsets[row], column.offsets[row + 1]), seed, missing);
  } else if constexpr (kind == DeviceValues::fixed_text) {
    return hash_text(text_at(column, row * column.value_bytes, (row + 1) * column.value_bytes), seed,
                     missing);
  } else if constexpr (kind == DeviceValues::int32) {
    return hash_text(number_at<int>(column, row), seed, missing);
  } else if constexpr (kind == DeviceValues::uint32) {
    return hash_text(number_at<unsigned>(column, row), seed, missing);
  } else if constexpr (kind == DeviceValues::int64) {
    return hash_text(number_at<long long>(column, row), seed, missing);
  } else {
    return hash_text(number_at<unsigned long long>(column, row), seed, missing);
  }
}

/// Columns of one kind that are hashed together. Kernels take it by value.
struct Together {
  static constexpr std::size_t most = 32;
  DeviceHashes columns[most];
  std::uint32_t count = 0;
};

/// Blocks with the same blockIdx.y share a column.
template <DeviceValues kind>
__global__ void __launch_bounds__(block_threads)
    hash_values(const __grid_constant__ Together together, std::size_t num_rows, std::uint64_t seed,
                const __grid_constant__ MissingTexts missing) {
  const DeviceHashes& out = together.columns[blockIdx.y];
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t row = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; row < num_rows; row += stride) {
    const Hashed hashed = hash_value<kind>(out.column, row, seed, missing);
    out.hashes[row] = hashed.hash;
    if (out.is_missing != nullptr) out.is_missing[row] = hashed.is_missing;
  }
}

auto kernel_of(DeviceValues kind) {
  switch (kind) {
    case DeviceValues::fixed_text:
      return &hash_values<DeviceValues::fixed_text>;
    case DeviceValues::int32:
      return &hash_values<DeviceValues::int32>;
    case DeviceValues::uint32:
      return &hash_values<DeviceValues::uint32>;
    case DeviceValues::int64:
      return &hash_values<DeviceValues::int64>;
    case DeviceValues::uint64:
      return &hash_values<DeviceValues::uint64>;
    case DeviceValues::text:
      break;
  }
  return &hash_values<DeviceValues::text>;
}

constexpr DeviceValues all_kinds[] = {DeviceValues::text,   DeviceValues::fixed_text, DeviceValues::int32,
                                      DeviceValues::uint32, DeviceValues::int64,      DeviceValues::uint64};

}  // namespace
}  // namespace cuda

void hash_column(const DeviceColumn& column, std::size_t num_rows, std::uint64_t seed,
                 const MissingTexts& missing, std::uint64_t* hashes, std::uint8_t* is_missing,
                 CUstream_st* stream) {
  const DeviceHashes one{column, hashes, is_missing};
  hash_columns({&one, 1}, num_rows, seed, missing, stream);
}

void hash_columns(std::span<const DeviceHashes> columns, std::size_t num_rows, std::uint64_t seed,
                  const MissingTexts& missing, CUstream_st* stream) {
  const std::size_t blocks =
      std::min((num_rows + cuda::block_threads - 1) / cuda::block_threads, cuda::max_blocks);
  for (const DeviceValues kind : cuda::all_kinds) {
    cuda::Together together;
    const auto launch = [&] {
      cuda::launch(cuda::kernel_of(kind), dim3(static_cast<unsigned>(blocks), together.count),
                   dim3(cuda::block_threads), 0, stream, together, num_rows, seed, missing);
      together.count = 0;
    };
    for (const DeviceHashes& column : columns) {
      if (column.column.kind != kind) continue;
      together.columns[together.count++] = column;
      if (together.count == cuda::Together::most) launch();
    }
    launch();  // does nothing if no columns are left
  }
}

}  // namespace widehash
