// The zstd reader returns the text that a frame was made from, in pieces of any size. For a whole file, it
// returns what the library's streaming decoder returns when given all of it at once, and refuses what that
// decoder refuses. (The one-shot decoder accepts frames that the format forbids, because it needs no window.)
// The first byte of the input decides whether the rest is a whole file, or the text of frames.
#include "claims.hpp"
#include "fuzz_bytes.hpp"
#include "source_text.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <zstd.h>

using namespace widehash;
using fuzz::max_text_bytes;

namespace {

std::optional<std::string> text_of_zstd(std::string_view file, std::size_t piece_bytes) {
  return fuzz::text_of_file(file, piece_bytes, Compression::zstd);
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

enum class Outcome { whole, refused, too_long };

/// The text of a file's frames, decoded from one buffer.
std::pair<Outcome, std::string> decode(std::string_view file) {
  static const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(),
                                                                               ZSTD_freeDCtx);
  // Room for one byte more, so that an overlong text shows before any fault after it.
  static std::string piece(max_text_bytes + 1, '\0');
  ZSTD_DCtx_reset(context.get(), ZSTD_reset_session_only);
  ZSTD_inBuffer input{file.data(), file.size(), 0};
  std::string text;
  bool in_frame = false;
  while (true) {
    if (input.pos == input.size && !in_frame) return {Outcome::whole, text};
    ZSTD_outBuffer output{piece.data(), piece.size(), 0};
    const std::size_t before = input.pos;
    const std::size_t result = ZSTD_decompressStream(context.get(), &output, &input);
    if (ZSTD_isError(result)) return {Outcome::refused, text};
    text.append(piece, 0, output.pos);
    if (text.size() > max_text_bytes) return {Outcome::too_long, text};
    in_frame = result != 0;
    if (in_frame && input.pos == before && output.pos == 0) return {Outcome::refused, text};  // cut
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::FuzzBytes input(data, size);
  const unsigned choice = input.byte();
  const std::size_t piece_bytes = 1 + 64 * std::size_t{input.byte()};
  if ((choice & 1) != 0) {
    const std::string_view file = input.rest();
    if (!file.starts_with("\x28\xb5\x2f\xfd")) return 0;
    const auto seen = text_of_zstd(file, piece_bytes);
    const auto [outcome, text] = decode(file);
    if (outcome == Outcome::whole) fuzz::require(seen == text, "a file that zstd reads gives the same text");
    if (outcome == Outcome::refused) fuzz::require(!seen, "a file that zstd refuses is refused");
    return 0;
  }
  std::string file;
  std::string text;
  do {
    const std::string_view piece = input.up_to("\n\n");
    file += frame_of(piece, (choice & 2) != 0);
    text += piece;
    if ((choice & 4) != 0) file.append("\x53\x2a\x4d\x18\x02\0\0\0xy", 10);  // a skippable frame
  } while (!input.empty());
  fuzz::require(text_of_zstd(file, piece_bytes) == text, "frames give the text they were made of");
  if ((choice & 8) != 0 && file.size() > 4) {
    const std::size_t cut = 4 + choice % (file.size() - 4);
    const auto seen = text_of_zstd(file.substr(0, cut), piece_bytes);
    fuzz::require(!seen || text.starts_with(*seen), "a cut file is refused or ends between frames");
  }
  return 0;
}
