#include <widehash/device_hash.hpp>
#include <widehash/error.hpp>

namespace widehash {
namespace {

[[noreturn]] void throw_unavailable() { throw DeviceError("hashing on a device: built without CUDA"); }

}  // namespace

void hash_column(const DeviceColumn&, std::size_t, std::uint64_t, const MissingTexts&, std::uint64_t*,
                 std::uint8_t*, CUstream_st*) {
  throw_unavailable();
}

void hash_columns(std::span<const DeviceHashes>, std::size_t, std::uint64_t, const MissingTexts&,
                  CUstream_st*) {
  throw_unavailable();
}

}  // namespace widehash
