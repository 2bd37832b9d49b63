#include "device_collectives.hpp"

#include <widehash/communicator.hpp>
#include <widehash/error.hpp>

namespace widehash {
namespace {

[[noreturn]] void throw_unavailable() {
  throw DeviceError("collectives on the memory of GPUs: this program was built without CUDA");
}

}  // namespace

void Communicator::all_reduce_on_device(DeviceSpan<float>) { throw_unavailable(); }
void Communicator::reduce_scatter_on_device(DeviceSpan<const float>, std::span<const std::size_t>,
                                            DeviceSpan<float>) {
  throw_unavailable();
}
void Communicator::all_gather_on_device(DeviceSpan<const float>, std::span<const std::size_t>,
                                        DeviceSpan<float>) {
  throw_unavailable();
}

namespace detail {

void all_reduce_on_gpu(Transport&, DeviceSpan<float>) { throw_unavailable(); }
void reduce_scatter_on_gpu(Transport&, DeviceSpan<const float>, std::span<const std::size_t>,
                           DeviceSpan<float>) {
  throw_unavailable();
}
void all_gather_on_gpu(Transport&, DeviceSpan<const float>, std::span<const std::size_t>, DeviceSpan<float>) {
  throw_unavailable();
}

}  // namespace detail
}  // namespace widehash
