#include <widehash/internal/utf8.hpp>

#include <algorithm>

namespace widehash {

std::size_t utf8_character_bytes(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                             : lead >= 0xE0 && lead <= 0xEF ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  const bool is_valid = !(lead == 0xE0 && second < 0xA0) && !(lead == 0xED && second > 0x9F) &&
                        !(lead == 0xF0 && second < 0x90) && !(lead == 0xF4 && second > 0x8F);
  return is_valid ? length : 0;
}

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t length = utf8_character_bytes(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string to_utf8(std::string_view text) {
  constexpr std::string_view replacement = "\xEF\xBF\xBD";
  std::string result;
  while (!text.empty()) {
    const std::size_t length = utf8_character_bytes(text);
    result += length == 0 ? replacement : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::string printable(std::string_view text, std::size_t most_bytes) {
  std::string shown;
  for (std::size_t taken = 0; taken < text.size();) {
    const std::string_view rest = text.substr(taken);
    const std::size_t length = utf8_character_bytes(rest);
    taken += std::max<std::size_t>(length, 1);
    if (taken > most_bytes) break;
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(rest[i]); };
    const bool is_control =
        byte(0) < 0x20 || byte(0) == 0x7F || (byte(0) == 0xC2 && length == 2 && byte(1) < 0xA0);
    if (length == 0 || is_control) {
      shown += '?';
    } else {
      shown += rest.substr(0, length);
    }
  }
  return shown;
}

}  // namespace widehash
