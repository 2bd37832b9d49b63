#include "foreign_format.hpp"

#include <widehash/internal/section_file.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace widehash::detail {
namespace {

using namespace std::string_view_literals;

struct Format {
  std::string_view magic;
  std::string_view name;
  std::string_view unpack = {};  // a command that writes its text; empty if there is none
};

// Taken from the formats' specifications. bzip2's first four bytes may be text, so they are followed here by
// the first bytes of a block ("pi") or of the end of an empty file.
constexpr Format packed[] = {
    {"\xFD"
     "7zXZ\0"sv,
     "xz", "xz -dc"},
    {"PK\x03\x04"sv, "zip", "unzip -p"},
    {"PK\x05\x06"sv, "zip", "unzip -p"},
    {"PK\x07\x08"sv, "zip", "unzip -p"},
    {"7z\xBC\xAF\x27\x1C"sv, "7z", "7z x -so"},
    {"\x04\x22\x4D\x18"sv, "lz4", "lz4 -dc"},
    {"\x02\x21\x4C\x18"sv, "lz4", "lz4 -dc"},
};

// These marks are letters only, and text may begin with them. So bytes that no text holds must follow, within
// this many first bytes.
constexpr std::size_t columnar_bytes = 16;
constexpr Format columnar[] = {
    {"PAR1"sv, "Parquet"}, {"PARE"sv, "encrypted Parquet"}, {"Obj\x01"sv, "Avro"},
    {"ORC"sv, "ORC"},      {"ARROW1\0\0"sv, "Arrow"},       {"FEA1"sv, "Feather"},
};

// The longer marks come first: UTF-32 begins as UTF-16 does.
constexpr Format encodings[] = {
    {"\xFF\xFE\0\0"sv, "UTF-32"},
    {"\0\0\xFE\xFF"sv, "UTF-32"},
    {"\xFF\xFE"sv, "UTF-16"},
    {"\xFE\xFF"sv, "UTF-16"},
};

bool is_bzip2(std::string_view head) {
  if (!head.starts_with("BZh") || head.size() < 10 || head[3] < '1' || head[3] > '9') return false;
  const std::string_view block = head.substr(4, 6);
  return block == "1AY&SY" || block == "\x17\x72\x45\x38\x50\x90";
}

bool is_tar(std::string_view head) {
  constexpr std::string_view mark = "ustar";
  constexpr std::size_t place = 257;
  // The name before the mark is padded with zeros.
  return head.size() >= place + mark.size() && head.substr(place, mark.size()) == mark &&
         head.find('\0') < place;
}

/// Returns the UTF-16 encoding if `head` begins with ASCII characters of two bytes each, without a byte order
/// mark; nullptr if it does not.
const char* unmarked_utf16(std::string_view head) {
  constexpr std::size_t fewest_bytes = 16;
  constexpr std::size_t most_bytes = 64;
  const std::size_t bytes = std::min(head.size(), most_bytes) / 2 * 2;
  if (bytes < fewest_bytes) return nullptr;
  std::size_t zeros[2] = {0, 0};  // at even and at odd places
  for (std::size_t i = 0; i < bytes; ++i) zeros[i % 2] += head[i] == '\0' ? 1 : 0;
  if (zeros[0] == 0 && zeros[1] == bytes / 2) return "UTF-16LE";
  if (zeros[1] == 0 && zeros[0] == bytes / 2) return "UTF-16BE";
  return nullptr;
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 && c != '\t' && c != '\n' && c != '\r';
}

template <std::size_t count>
const Format* find(const Format (&formats)[count], std::string_view head) {
  const auto* found = std::find_if(std::begin(formats), std::end(formats),
                                   [&](const Format& format) { return head.starts_with(format.magic); });
  return found == std::end(formats) ? nullptr : found;
}

/// Returns a command that reads FILE, unpacks it with `unpacker` if it is packed, and pipes its text to
/// the program.
std::string piped(std::string_view command, std::string_view unpacker) {
  if (unpacker.empty()) return fmt::format("`{} FILE | widehash ... -`", command);
  return fmt::format("`{} -dc FILE | {} | widehash ... -`", unpacker, command);
}

std::string packed_text(std::string_view name, std::string_view unpack, std::string_view unpacker) {
  const bool is_archive = name == "zip" || name == "7z";
  // These programs cannot read from a pipe.
  const std::string way =
      is_archive && !unpacker.empty() ? std::string("unpack it") : piped(unpack, unpacker) + " reads it";
  return fmt::format("is compressed with {}, but only gzip and zstd are supported: {}{}", name, way,
                     name == "zip" ? "; if it is a spreadsheet, save it as CSV" : "");
}

std::string encoding_text(std::string_view name, std::string_view unpacker) {
  return fmt::format("is {} text, but only UTF-8 is supported: {}", name,
                     piped(fmt::format("iconv -f {} -t UTF-8", name), unpacker));
}

std::string describe(std::string_view head, std::string_view unpacker) {
  if (is_bzip2(head)) return packed_text("bzip2", "bzip2 -dc", unpacker);
  if (const Format* format = find(packed, head)) return packed_text(format->name, format->unpack, unpacker);
  if (is_tar(head)) return "is a tar archive: unpack it (tar -xf FILE) and give the files that were in it";
  const std::string_view start = head.substr(0, columnar_bytes);
  if (start.starts_with(section_magic) &&
      std::any_of(start.begin() + section_magic.size(), start.end(), is_control)) {
    return "is a widehash file (a shard, a lookup table or a model), not text; for a dataset, give its "
           "folder";
  }
  if (const Format* format = find(columnar, start);
      format != nullptr && std::any_of(start.begin() + 3, start.end(), is_control)) {
    return fmt::format(
        "is in {} format, not text: write its rows as CSV, or read it in Python with Arrow or pandas, whose "
        "tables the Python package accepts (DatasetWriter makes a dataset of them, inspect a schema)",
        format->name);
  }
  // A value may begin like a mark, but text of such an encoding has line ends with a zero byte.
  if (const Format* format = find(encodings, head); format != nullptr && head.find('\0') != head.npos) {
    return encoding_text(format->name, unpacker);
  }
  if (const char* const name = unmarked_utf16(head)) return encoding_text(name, unpacker);
  return {};
}

}  // namespace

std::string foreign_format(std::string_view head, std::string_view unpacker) {
  const std::string what = describe(head, unpacker);
  return what.empty() || unpacker.empty() ? what : fmt::format("unpacked with {}, it {}", unpacker, what);
}

}  // namespace widehash::detail
