#include <widehash/checksum.hpp>
#include <widehash/internal/parse_all.hpp>

#include <new>
#include <stdexcept>

#include <fmt/format.h>
#include <xxhash.h>
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
// The library's run-time choice of AVX2 or AVX-512: up to four times as fast as plain SSE2.
#include <xxh_x86dispatch.h>
#endif

namespace widehash {

std::uint64_t checksum(std::span<const std::byte> bytes) noexcept {
  return XXH3_64bits(bytes.data(), bytes.size());
}

struct ChecksumStream::State {
  struct Free {
    void operator()(XXH3_state_t* state) const noexcept { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> xxh3{XXH3_createState()};
};

ChecksumStream::ChecksumStream() : state_(std::make_unique<State>()) {
  if (state_->xxh3 == nullptr) throw std::bad_alloc();
  XXH3_64bits_reset(state_->xxh3.get());
}

ChecksumStream::~ChecksumStream() = default;
ChecksumStream::ChecksumStream(ChecksumStream&&) noexcept = default;
ChecksumStream& ChecksumStream::operator=(ChecksumStream&&) noexcept = default;

void ChecksumStream::add(std::span<const std::byte> bytes) noexcept {
  XXH3_64bits_update(state_->xxh3.get(), bytes.data(), bytes.size());
}

std::uint64_t ChecksumStream::value() const noexcept { return XXH3_64bits_digest(state_->xxh3.get()); }

std::string to_hex(std::uint64_t value) { return fmt::format("{:016x}", value); }

std::uint64_t from_hex(std::string_view text) {
  const auto value = detail::parse_all<std::uint64_t>(text, 16);
  if (text.size() != 16 || !value)
    throw std::invalid_argument(fmt::format("'{}' is not 16 hexadecimal digits", text));
  return *value;
}

}  // namespace widehash
