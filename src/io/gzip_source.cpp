#include "sources.hpp"

#include <widehash/error.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <span>

#include <fmt/format.h>
#include <isa-l/igzip_lib.h>

namespace widehash::detail {
namespace {

constexpr std::size_t input_buffer_bytes = std::size_t{256} << 10;
constexpr std::uint8_t first_magic_byte = 0x1f;

const char* describe(int result) {
  switch (result) {
    case ISAL_INCORRECT_CHECKSUM:
      return "the checksum or the length does not match";
    case ISAL_INVALID_WRAPPER:
      return "a gzip header is missing";
    case ISAL_UNSUPPORTED_METHOD:
      return "it uses a compression method other than deflate";
    default:
      return "the deflate stream is invalid";
  }
}

class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(RawFile file)
      : file_(std::move(file)), input_(std::make_unique_for_overwrite<char[]>(input_buffer_bytes)) {
    isal_inflate_init(&state_);
  }

  std::size_t read(std::span<char> buffer) override {
    std::size_t produced = 0;
    while (produced < buffer.size()) {
      if (!in_member_ && !start_member()) break;
      produced += inflate(buffer.subspan(produced));
    }
    return produced;
  }

  std::uint64_t position() const noexcept override { return file_.position() - state_.avail_in; }
  Compression compression() const noexcept override { return Compression::gzip; }

 private:
  /// Makes sure that there is input. Returns false at the end of the file.
  bool refill() {
    if (state_.avail_in == 0) {
      state_.avail_in = static_cast<std::uint32_t>(file_.read({input_.get(), input_buffer_bytes}));
      state_.next_in = reinterpret_cast<std::uint8_t*>(input_.get());
    }
    return state_.avail_in > 0;
  }

  /// Starts the next member. Returns false if no member follows.
  bool start_member() {
    if (!refill()) return false;
    if (num_members_ > 0 && *state_.next_in != first_magic_byte) {
      skip_padding();
      return false;
    }
    member_begin_ = position();
    ++num_members_;
    in_member_ = true;
    // Keeps the input where it is: only the state of the stream is reset.
    std::uint8_t* const next_in = state_.next_in;
    const std::uint32_t avail_in = state_.avail_in;
    isal_inflate_reset(&state_);
    state_.crc_flag = ISAL_GZIP;
    state_.next_in = next_in;
    state_.avail_in = avail_in;
    return true;
  }

  void skip_padding() {
    const std::uint64_t end_of_members = position();
    while (refill()) {
      if (std::any_of(state_.next_in, state_.next_in + state_.avail_in,
                      [](auto byte) { return byte != 0; })) {
        throw DataError(
            file_.name(), 0,
            fmt::format("the bytes after the last gzip member, which ends at byte {}, are neither gzip nor "
                        "zero padding; the file is damaged, or something was appended to it",
                        end_of_members));
      }
      state_.avail_in = 0;
    }
  }

  std::size_t inflate(std::span<char> buffer) {
    const bool has_input = refill();
    const std::size_t room = std::min<std::size_t>(buffer.size(), std::numeric_limits<std::uint32_t>::max());
    state_.next_out = reinterpret_cast<std::uint8_t*>(buffer.data());
    state_.avail_out = static_cast<std::uint32_t>(room);
    const int result = isal_inflate(&state_);
    if (result != ISAL_DECOMP_OK) {
      throw DataError(file_.name(), 0,
                      fmt::format("the gzip member that begins at byte {} is damaged before byte {}: {}; get "
                                  "a new copy of the file",
                                  member_begin_, position(), describe(result)));
    }
    const std::size_t produced = room - state_.avail_out;
    if (state_.block_state == ISAL_BLOCK_FINISH) {
      in_member_ = false;
    } else if (!has_input && produced == 0) {
      throw DataError(file_.name(), 0,
                      fmt::format("ends in the middle of a gzip member (which begins at byte {}) after {} "
                                  "bytes; the file was cut short: get a new copy",
                                  member_begin_, file_.position()));
    }
    return produced;
  }

  RawFile file_;
  std::unique_ptr<char[]> input_;
  inflate_state state_{};
  bool in_member_ = false;
  std::uint64_t num_members_ = 0;
  std::uint64_t member_begin_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> make_gzip_source(RawFile file) {
  return std::make_unique<GzipSource>(std::move(file));
}

}  // namespace widehash::detail
