#include <widehash/device_hash.hpp>
#include <widehash/error.hpp>

namespace widehash {

void hash_column(const DeviceColumn&, std::size_t, std::uint64_t, const MissingTexts&, std::uint64_t*,
                 std::uint8_t*, CUstream_st*) {
  throw DeviceError("hashing on a device: built without CUDA");
}

}  // namespace widehash
