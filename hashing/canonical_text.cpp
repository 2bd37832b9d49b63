#include <widehash/canonical_text.hpp>

#include <charconv>
#include <cmath>
#include <cstring>
#include <string_view>

namespace widehash {
namespace {

char* write_word(std::string_view word, char* out) noexcept {
  std::memcpy(out, word.data(), word.size());
  return out + word.size();
}

template <class Float>
char* write_float(Float value, char* out) noexcept {
  if (std::isnan(value)) return out;
  if (std::isinf(value)) return write_word(value > 0 ? "inf" : "-inf", out);
  if (value == 0) return write_word("0", out);  // -0.0 is the integer 0
  char* const last = out + max_canonical_bytes;
  if (std::trunc(value) != value) return std::to_chars(out, last, value).ptr;
  // Most integral numbers fit a word, whose digits need no exact arithmetic.
  constexpr auto word_limit = static_cast<Float>(std::int64_t{1} << 62);
  if (std::abs(value) < word_limit) return std::to_chars(out, last, static_cast<std::int64_t>(value)).ptr;
  // Precision 0 writes an integral number exactly, however large; the shortest form would pad it with zeros.
  return std::to_chars(out, last, value, std::chars_format::fixed, 0).ptr;
}

template <class Number>
std::string number_text(Number value) {
  char buffer[max_canonical_bytes];
  return {buffer, write_canonical_text(value, buffer)};
}

}  // namespace

char* write_canonical_text(double value, char* out) noexcept { return write_float(value, out); }
char* write_canonical_text(float value, char* out) noexcept { return write_float(value, out); }

std::string canonical_text(std::int64_t value) { return number_text(value); }
std::string canonical_text(std::uint64_t value) { return number_text(value); }
std::string canonical_text(double value) { return number_text(value); }
std::string canonical_text(float value) { return number_text(value); }
std::string canonical_text(bool value) { return value ? "true" : "false"; }

}  // namespace widehash
