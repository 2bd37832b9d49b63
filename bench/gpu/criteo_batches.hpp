#pragma once

/// \file
/// Batches of rows shaped like Criteo's 26 categories in the forms that training takes: codes on the host,
/// and raw columns.

#include "cuda/device_buffer.hpp"
#include "cuda/pinned_buffer.hpp"

#include <widehash/code_batch.hpp>
#include <widehash/device_encoder.hpp>
#include <widehash/schema.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace widehash::bench {

inline constexpr std::size_t batch_rows = 65536;

Schema criteo_schema();

/// The first batch as codes.
const CodeBatch& criteo_batch();
/// The first `count` batches as codes.
std::vector<CodeBatch> code_batches(std::size_t count);

/// Rows as columns of 32-bit numbers, one column after another in pinned memory.
struct RawBatch {
  cuda::PinnedBuffer<std::uint32_t> columns;  // [26 x batch_rows]
  std::vector<float> targets;
};
/// `count` raw batches of different rows.
std::vector<RawBatch> raw_batches(std::size_t count);

/// Device memory for the codes of a raw batch, which are computed on the device.
class HashedBatch {
 public:
  HashedBatch(const cuda::DeviceContext& context, const Schema& schema, const CodeLayout& layout);

  /// Copies the columns and hashes them, on this batch's own stream.
  const CodeBatchView& fill(const RawBatch& raw);
  const CodeBatchView& rows() const noexcept { return rows_; }

 private:
  cuda::Stream stream_;
  DeviceEncoder encoder_;
  cuda::DeviceBuffer<std::uint32_t> columns_;
  cuda::DeviceBuffer<std::uint16_t> codes_;
  cuda::DeviceBuffer<std::uint8_t> byte_codes_;
  cuda::DeviceBuffer<std::byte> scratch_;
  CodeBatchView rows_;
};

}  // namespace widehash::bench
