#pragma once

/// \file
/// Writers of compressed bytes. Where there is a choice, they use other libraries than the readers do.

#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

#include <zlib.h>
#include <zstd.h>

namespace widehash::test {

/// One gzip member.
inline std::string gzip(std::string_view text, int level = 6) {
  z_stream stream{};
  constexpr int gzip_window_bits = 15 + 16;
  if (deflateInit2(&stream, level, Z_DEFLATED, gzip_window_bits, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("deflateInit2");
  }
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int result = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) throw std::runtime_error("deflate");
  return packed;
}

/// One zstd frame with a checksum.
inline std::string zstd(std::string_view text) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size = ZSTD_compress2(context, packed.data(), packed.size(), text.data(), text.size());
  ZSTD_freeCCtx(context);
  if (ZSTD_isError(size)) throw std::runtime_error("ZSTD_compress2");
  packed.resize(size);
  return packed;
}

/// A zstd frame that readers skip.
inline std::string skippable_frame(std::string_view content) {
  const auto size = static_cast<std::uint32_t>(content.size());
  std::string frame = "\x53\x2a\x4d\x18";
  frame.resize(8);
  std::memcpy(frame.data() + 4, &size, sizeof size);
  return frame.append(content);
}

}  // namespace widehash::test
