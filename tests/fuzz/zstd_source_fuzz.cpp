// The zstd reader gives what a frame was made of, in pieces of any size, and refuses what the library's one-shot decoder
// refuses. By the first byte of the input the rest is a whole file, or the text of frames.
#include "claims.hpp"
#include "fuzz_bytes.hpp"
#include "memory_file.hpp"

#include <widehash/byte_source.hpp>
#include <widehash/error.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <zstd.h>

using namespace widehash;

namespace {

constexpr std::size_t max_text_bytes = std::size_t{1} << 18;

std::optional<std::string> read_file(std::string_view bytes, std::size_t piece_bytes) {
  static fuzz::MemoryFile file;
  file.set(bytes);
  try {
    const auto source = open_source({.path = file.path(), .size_bytes = bytes.size()});
    std::string text;
    std::string piece(piece_bytes, '\0');
    while (text.size() <= max_text_bytes) {
      const std::size_t count = source->read(piece);
      text.append(piece, 0, count);
      fuzz::require(source->position() <= bytes.size(), "the position is inside the file");
      if (count < piece.size()) break;
    }
    return text;
  } catch (const DataError&) {
    return std::nullopt;
  }
}

ZSTD_CCtx* compressor() {
  static const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(),
                                                                               ZSTD_freeCCtx);
  return context.get();
}

std::string frame_of(std::string_view text, bool with_checksum) {
  std::string frame(ZSTD_compressBound(text.size()), '\0');
  ZSTD_CCtx_setParameter(compressor(), ZSTD_c_checksumFlag, with_checksum ? 1 : 0);
  const std::size_t size = ZSTD_compress2(compressor(), frame.data(), frame.size(), text.data(), text.size());
  fuzz::require(!ZSTD_isError(size), "zstd compresses");
  frame.resize(size);
  return frame;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::FuzzBytes input(data, size);
  const unsigned choice = input.byte();
  const std::size_t piece_bytes = 1 + 64 * std::size_t{input.byte()};
  if ((choice & 1) != 0) {
    const std::string_view file = input.rest();
    if (!file.starts_with("\x28\xb5\x2f\xfd")) return 0;
    const auto seen = read_file(file, piece_bytes);
    std::string text(max_text_bytes, '\0');
    const std::size_t result = ZSTD_decompress(text.data(), text.size(), file.data(), file.size());
    if (!ZSTD_isError(result)) {
      text.resize(result);
      fuzz::require(seen == text, "a file that zstd reads gives the same text");
    }
    return 0;
  }
  std::string file;
  std::string text;
  do {
    const std::string_view piece = input.up_to("\n\n");
    file += frame_of(piece, (choice & 2) != 0);
    text += piece;
    if ((choice & 4) != 0) file.append("\x53\x2a\x4d\x18\x02\0\0\0xy", 10);  // a frame to be skipped
  } while (!input.empty());
  fuzz::require(read_file(file, piece_bytes) == text, "frames give the text they were made of");
  if ((choice & 8) != 0 && file.size() > 4) {
    const std::size_t cut = 4 + choice % (file.size() - 4);
    const auto seen = read_file(file.substr(0, cut), piece_bytes);
    fuzz::require(!seen || text.starts_with(*seen), "a cut file is refused or ends between frames");
  }
  return 0;
}
