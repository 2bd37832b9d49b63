/// \file
/// Collectives on the memory of GPUs by way of the host: what any communicator can do.

#include "cuda/device_buffer.hpp"
#include "cuda/pinned_buffer.hpp"

#include <widehash/communicator.hpp>

namespace widehash {
namespace {

using cuda::PinnedBuffer;

/// The numbers of a device, in pinned memory of the host.
PinnedBuffer<float> fetch(DeviceSpan<const float> values) {
  PinnedBuffer<float> host(values.size);
  values.context->make_current();
  cuda::copy_to_host(values.data, host.first(values.size), values.context->stream());
  values.context->stream().synchronize();
  return host;
}

/// Complete on return, because the host's memory is the caller's.
void store(std::span<const float> from, DeviceSpan<float> to) {
  to.context->make_current();
  cuda::copy_to_device(from, to.data, to.context->stream());
  to.context->stream().synchronize();
}

}  // namespace

void Communicator::all_reduce_on_device(DeviceSpan<float> values) {
  if (size() == 1) return;
  const PinnedBuffer<float> host = fetch(values);
  all_reduce(host.first(values.size));
  store(host.first(values.size), values);
}

void Communicator::reduce_scatter_on_device(DeviceSpan<const float> values,
                                            std::span<const std::size_t> offsets, DeviceSpan<float> own) {
  const PinnedBuffer<float> host = fetch(values);
  const PinnedBuffer<float> sums(own.size);
  reduce_scatter(std::span<const float>(host.first(values.size)), offsets, sums.first(own.size));
  store(sums.first(own.size), own);
}

void Communicator::all_gather_on_device(DeviceSpan<const float> own, std::span<const std::size_t> offsets,
                                        DeviceSpan<float> whole) {
  const PinnedBuffer<float> host = fetch(own);
  const PinnedBuffer<float> gathered(whole.size);
  all_gather<float>(host.first(own.size), offsets, gathered.first(whole.size));
  store(gathered.first(whole.size), whole);
}

}  // namespace widehash
