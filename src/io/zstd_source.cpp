#include "sources.hpp"

#include <widehash/error.hpp>

#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>

#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

namespace widehash::detail {
namespace {

struct FreeStream {
  void operator()(ZSTD_DStream* stream) const noexcept { ZSTD_freeDStream(stream); }
};

/// Returns why zstd stopped, and what to do: not every file that it refuses is damaged.
std::string refusal(std::size_t error, std::uint64_t position) {
  switch (ZSTD_getErrorCode(error)) {
    case ZSTD_error_frameParameter_windowTooLarge:
      // The limit of the library and of its program; without it a file could ask for gigabytes.
      return fmt::format(
          "the zstd frame at byte {} needs a window of more than 128 MiB (zstd --long); compress it with "
          "--long=27 or less, or pipe its text: zstd -dc --long=31 FILE | widehash ... -",
          position);
    case ZSTD_error_dictionary_wrong:
      return fmt::format(
          "the zstd frame at byte {} needs a dictionary; pipe its text: zstd -dc -D DICTIONARY FILE | "
          "widehash ... -",
          position);
    default:
      return fmt::format("the zstd data is damaged before byte {}: {}; get a new copy of the file", position,
                         ZSTD_getErrorName(error));
  }
}

class ZstdSource final : public ByteSource {
 public:
  explicit ZstdSource(RawFile file)
      : file_(std::move(file)),
        stream_(ZSTD_createDStream()),
        buffer_(std::make_unique_for_overwrite<char[]>(ZSTD_DStreamInSize())) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }

  std::size_t read(std::span<char> buffer) override {
    ZSTD_outBuffer output{buffer.data(), buffer.size(), 0};
    while (output.pos < output.size) {
      if (input_.pos == input_.size)
        input_ = {buffer_.get(), file_.read({buffer_.get(), ZSTD_DStreamInSize()}), 0};
      const bool at_end = input_.size == 0;
      if (at_end && !in_frame_) break;
      const std::size_t before = output.pos;
      const std::uint64_t begin = position();
      const std::size_t result = ZSTD_decompressStream(stream_.get(), &output, &input_);
      if (ZSTD_isError(result)) throw_damaged(result, begin);
      in_frame_ = result != 0;
      if (at_end && in_frame_ && output.pos == before) {
        throw DataError(
            file_.name(), 0,
            fmt::format(
                "ends in the middle of a zstd frame after {} bytes; the file was cut short: get a new copy",
                file_.position()));
      }
    }
    return output.pos;
  }

  std::uint64_t position() const noexcept override { return file_.position() - (input_.size - input_.pos); }
  Compression compression() const noexcept override { return Compression::zstd; }

 private:
  /// `begin` is the position of the bytes that were looked at last.
  [[noreturn]] void throw_damaged(std::size_t result, std::uint64_t begin) const {
    const bool is_behind_a_frame = !in_frame_ && begin > 0;
    if (is_behind_a_frame && ZSTD_getErrorCode(result) == ZSTD_error_prefix_unknown) {
      throw DataError(file_.name(), 0,
                      fmt::format("the bytes after the last zstd frame, which ends at byte {}, are not a "
                                  "zstd frame; the file is damaged, or something was appended to it",
                                  begin));
    }
    throw DataError(file_.name(), 0, refusal(result, position()));
  }

  RawFile file_;
  std::unique_ptr<ZSTD_DStream, FreeStream> stream_;
  std::unique_ptr<char[]> buffer_;
  ZSTD_inBuffer input_{nullptr, 0, 0};
  bool in_frame_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> make_zstd_source(RawFile file) {
  return std::make_unique<ZstdSource>(std::move(file));
}

}  // namespace widehash::detail
