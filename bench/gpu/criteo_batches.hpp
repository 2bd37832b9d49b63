#pragma once

/// \file
/// Batches of rows shaped like Criteo's 26 categories, as training gets them: codes on the host, and raw
/// columns.

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
/// The first `count` of them.
std::vector<CodeBatch> code_batches(std::size_t count);

/// Rows as columns of 32-bit numbers, one behind the other in pinned memory.
struct RawBatch {
  cuda::PinnedBuffer<std::uint32_t> columns;  // [26 x batch_rows]
  std::vector<float> targets;
};
/// `count` of them, different rows each.
std::vector<RawBatch> raw_batches(std::size_t count);

/// Memory of the device for the codes of a raw batch, which are made on it.
class HashedBatch {
 public:
  HashedBatch(const cuda::DeviceContext& context, const Schema& schema, const CodeLayout& layout);

  /// Copies the columns and hashes them, queued on a stream of this batch's own.
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
