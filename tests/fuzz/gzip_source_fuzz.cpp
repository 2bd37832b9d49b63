// The gzip reader against zlib: both give the same bytes, or both refuse the input. The first byte of the
// input decides whether the rest is a whole file, or deflate streams that are given matching headers and
// trailers, so that the checksums do not end every run.
#include "claims.hpp"
#include "fuzz_bytes.hpp"
#include "source_text.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <zlib.h>

using namespace widehash;
using fuzz::max_text_bytes;

namespace {

constexpr int raw_deflate = -15;
constexpr int gzip_only = 15 + 16;

struct Inflated {
  std::string text;
  std::string_view rest;  // what follows the stream
};

/// One stream from the front of `bytes`; nullopt if it is damaged, cut or too long.
std::optional<Inflated> inflate_one(std::string_view bytes, int window_bits) {
  z_stream stream{};
  fuzz::require(inflateInit2(&stream, window_bits) == Z_OK, "zlib starts");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  std::array<char, 4096> piece;
  int result = Z_OK;
  while (result == Z_OK && text.size() <= max_text_bytes) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = piece.size();
    result = inflate(&stream, Z_NO_FLUSH);
    text.append(piece.data(), piece.size() - stream.avail_out);
  }
  const std::size_t left = stream.avail_in;
  inflateEnd(&stream);
  if (result != Z_STREAM_END || text.size() > max_text_bytes) return std::nullopt;
  return Inflated{std::move(text), bytes.substr(bytes.size() - left)};
}

void append_word(std::string& bytes, std::uint32_t word) {
  bytes.append(reinterpret_cast<const char*>(&word), sizeof word);
}

/// The text of a file's members up to one that zlib refuses.
struct Members {
  std::string text;
  bool all_taken = true;
};

Members inflate_members(std::string_view file) {
  Members members;
  bool first = true;
  while (!file.empty()) {
    if (!first && file.front() != '\x1f') {
      members.all_taken = file.find_first_not_of('\0') == std::string_view::npos;
      break;
    }
    const auto member = inflate_one(file, gzip_only);
    if (!member) {
      members.all_taken = false;
      break;
    }
    members.text += member->text;
    file = member->rest;
    first = false;
  }
  return members;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::FuzzBytes input(data, size);
  const unsigned choice = input.byte();
  const std::size_t piece_bytes = 1 + 64 * std::size_t{input.byte()};
  std::string file;
  if ((choice & 1) != 0) {
    file = input.rest();
    if (!file.starts_with("\x1f\x8b")) return 0;
  } else {
    // Takes members until a stream is damaged. The rest goes into the file unchanged.
    std::string_view rest = input.rest();
    do {
      file.append("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
      const auto member = inflate_one(rest, raw_deflate);
      if (!member) {
        file += rest;
        break;
      }
      file += rest.substr(0, rest.size() - member->rest.size());
      append_word(file,
                  static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(member->text.data()),
                                                   static_cast<uInt>(member->text.size()))));
      append_word(file, static_cast<std::uint32_t>(member->text.size()));
      rest = member->rest;
    } while (!rest.empty());
    if ((choice & 2) != 0) file.append(3, '\0');
  }
  const Members expected = inflate_members(file);
  const auto seen = fuzz::text_of_file(file, piece_bytes, Compression::gzip);
  if (expected.all_taken && expected.text.size() <= max_text_bytes)
    fuzz::require(seen == expected.text, "a file that zlib reads gives the same text");
  // ISA-L accepts some foreign headers that zlib refuses, such as those with meaningless flags, and streams with
  // incomplete codes. The text is checksummed all the same, so that only an empty one gets through by chance.
  if (!expected.all_taken && seen && (choice & 1) == 0)
    fuzz::require(seen->size() > max_text_bytes || seen == expected.text,
                  "a member that zlib refuses gives no text");
  return 0;
}
