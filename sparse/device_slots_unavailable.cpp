#include "device_slots.hpp"

#include <widehash/error.hpp>

namespace widehash::detail {

void reduce_to_slots(const SlotTargets&, std::size_t, std::uint32_t, std::uint32_t, const DeviceCodes&,
                     CUstream_st*) {
  throw DeviceError("encoding on a device: built without CUDA");
}

}  // namespace widehash::detail
