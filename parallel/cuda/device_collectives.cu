#include "cuda/device_buffer.hpp"
#include "device_collectives.hpp"
#include "pairwise_sum.cuh"

#include <widehash/communicator.hpp>
#include <widehash/error.hpp>

#include <algorithm>
#include <vector>

#include <launch.cuh>

namespace widehash::detail {
namespace {

using cuda::DeviceContext;

// The largest number of devices in one process.
constexpr std::size_t most_parts = 64;
constexpr unsigned block_threads = 256;

struct Parts {
  const float* values[most_parts];
  unsigned count;
};

/// sums[i] = parts[0][i] + parts[1][i] + ..., in the order of pairwise_sum.hpp; `sums` may be one of the
/// parts.
__global__ void __launch_bounds__(block_threads)
    add_parts_kernel(Parts parts, std::uint64_t count, float* sums) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    sums[i] = cuda::pairwise_sum(parts.count, [&](unsigned r) { return parts.values[r][i]; });
  }
}

/// Bytes that only a GPU may read: the transport passes on only their address.
Bytes bytes_of(const float* values, std::size_t count) {
  return {reinterpret_cast<const std::byte*>(values), count * sizeof(float)};
}
const float* values_of(Bytes bytes) { return reinterpret_cast<const float*>(bytes.data()); }

void add_parts(const DeviceContext& context, std::span<const Bytes> from, DeviceSpan<float> sums) {
  if (from.size() > most_parts)
    throw CommError("collective: more ranks in a process than it can have devices");
  Parts parts{};
  parts.count = static_cast<unsigned>(from.size());
  std::transform(from.begin(), from.end(), parts.values, values_of);
  const std::size_t blocks = (sums.size + block_threads - 1) / block_threads;
  const std::size_t most_blocks = 8 * static_cast<std::size_t>(context.num_multiprocessors());
  cuda::launch(add_parts_kernel, dim3(static_cast<unsigned>(std::min(blocks, most_blocks))),
               dim3(block_threads), 0, context.stream().get(), parts, sums.size, sums.data);
  context.stream().synchronize();
}

/// Copies each rank's part into `whole` from the memory in which the rank shows it.
void collect(const DeviceContext& context, std::span<const Bytes> from, std::span<const std::size_t> offsets,
             DeviceSpan<float> whole) {
  for (std::size_t r = 0; r < from.size(); ++r) {
    float* const to = whole.data + offsets[r];
    if (values_of(from[r]) != to)
      cuda::copy_on_device(values_of(from[r]), to, offsets[r + 1] - offsets[r], context.stream());
  }
  context.stream().synchronize();
}

/// Begins a collective by waiting for what is queued on the stream.
const DeviceContext& settle(const DeviceContext* context) {
  context->make_current();
  context->stream().synchronize();
  return *context;
}

std::vector<std::size_t> byte_counts(std::span<const std::size_t> offsets) {
  std::vector<std::size_t> counts;
  for (std::size_t r = 0; r + 1 < offsets.size(); ++r)
    counts.push_back((offsets[r + 1] - offsets[r]) * sizeof(float));
  return counts;
}

}  // namespace

void all_reduce_on_gpu(Transport& transport, DeviceSpan<float> values) {
  const auto size = static_cast<std::size_t>(transport.size());
  const auto rank = static_cast<std::size_t>(transport.rank());
  const std::vector<std::size_t> offsets = even_offsets(values.size, size);
  const DeviceSpan<float> own = values.part(offsets[rank], offsets[rank + 1] - offsets[rank]);
  // Nobody else looks at this rank's own part, so the sum can take its place at once.
  reduce_scatter_on_gpu(transport, values, offsets, own);
  all_gather_on_gpu(transport, own, offsets, values);
}

void reduce_scatter_on_gpu(Transport& transport, DeviceSpan<const float> values,
                           std::span<const std::size_t> offsets, DeviceSpan<float> own) {
  const auto size = static_cast<std::size_t>(transport.size());
  const DeviceContext& context = settle(values.context);
  std::vector<Bytes> to(size);
  std::vector<Bytes> from(size);
  const std::vector<std::size_t> expected(size, own.size * sizeof(float));
  for (std::size_t r = 0; r < size; ++r)
    to[r] = bytes_of(values.data + offsets[r], offsets[r + 1] - offsets[r]);
  transport.exchange(to, expected, from);
  add_parts(context, from, own);
  transport.finish();
}

void all_gather_on_gpu(Transport& transport, DeviceSpan<const float> own,
                       std::span<const std::size_t> offsets, DeviceSpan<float> whole) {
  const auto size = static_cast<std::size_t>(transport.size());
  const DeviceContext& context = settle(own.context);
  const std::vector<Bytes> to(size, bytes_of(own.data, own.size));
  std::vector<Bytes> from(size);
  transport.exchange(to, byte_counts(offsets), from);
  collect(context, from, offsets, whole);
  transport.finish();
}

}  // namespace widehash::detail
