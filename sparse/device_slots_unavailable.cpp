#include "device_slots.hpp"

#include <widehash/error.hpp>

namespace widehash::detail {

void reduce_to_slots(const SlotTargets&, const SlotRows&, const DeviceCodes&) {
  throw DeviceError("encoding on a device: built without CUDA");
}

}  // namespace widehash::detail
