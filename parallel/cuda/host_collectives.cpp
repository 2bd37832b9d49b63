/// \file
/// Collectives on the memory of GPUs by way of the host, which any communicator can do.

#include "cuda/device_buffer.hpp"
#include "cuda/pinned_buffer.hpp"

#include <widehash/communicator.hpp>

namespace widehash {

using cuda::PinnedBuffer;

/// Host copies of device numbers. They are kept, because pinning memory takes longer than most collectives.
struct Communicator::PinnedCopies {
  PinnedBuffer<float> given;
  PinnedBuffer<float> taken;
};

namespace {

/// Copies a device's numbers to pinned host memory.
std::span<float> fetch(DeviceSpan<const float> values, PinnedBuffer<float>& host) {
  values.context->make_current();
  host.reserve(values.size);
  cuda::copy_to_host(values.data, host.first(values.size), values.context->stream());
  values.context->stream().synchronize();
  return host.first(values.size);
}

/// The copy is complete on return, because the host memory belongs to the caller.
void store(std::span<const float> from, DeviceSpan<float> to) {
  to.context->make_current();
  cuda::copy_to_device(from, to.data, to.context->stream());
  to.context->stream().synchronize();
}

std::span<float> room(PinnedBuffer<float>& host, std::size_t size) {
  host.reserve(size);
  return host.first(size);
}

}  // namespace

Communicator::PinnedCopies& Communicator::pinned_copies() {
  if (pinned_copies_ == nullptr) pinned_copies_ = std::make_shared<PinnedCopies>();
  return *pinned_copies_;
}

void Communicator::all_reduce_on_device(DeviceSpan<float> values) {
  if (size() == 1) return;
  const std::span<float> host = fetch(values, pinned_copies().given);
  all_reduce(host);
  store(host, values);
}

void Communicator::reduce_scatter_on_device(DeviceSpan<const float> values,
                                            std::span<const std::size_t> offsets, DeviceSpan<float> own) {
  const std::span<const float> host = fetch(values, pinned_copies().given);
  const std::span<float> sums = room(pinned_copies().taken, own.size);
  reduce_scatter(host, offsets, sums);
  store(sums, own);
}

void Communicator::all_gather_on_device(DeviceSpan<const float> own, std::span<const std::size_t> offsets,
                                        DeviceSpan<float> whole) {
  const std::span<const float> host = fetch(own, pinned_copies().given);
  const std::span<float> gathered = room(pinned_copies().taken, whole.size);
  all_gather<float>(host, offsets, gathered);
  store(gathered, whole);
}

}  // namespace widehash
