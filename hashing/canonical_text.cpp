#include <widehash/canonical_text.hpp>

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
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
  if (value == 0) return write_word("0", out);  // -0.0 equals the integer 0
  char* const last = out + max_canonical_bytes;
  if (std::trunc(value) != value) return std::to_chars(out, last, value).ptr;
  // Most integral numbers fit 64 bits, where writing digits needs no exact arithmetic.
  constexpr auto word_limit = static_cast<Float>(std::int64_t{1} << 62);
  if (std::abs(value) < word_limit) return std::to_chars(out, last, static_cast<std::int64_t>(value)).ptr;
  // Precision 0 writes an integral number exactly, however large; the shortest form would pad it with zeros.
  return std::to_chars(out, last, value, std::chars_format::fixed, 0).ptr;
}

// Bit layout of a half: a sign bit, 5 exponent bits, 10 mantissa bits.
constexpr std::uint32_t half_sign = 0x8000;
constexpr std::uint32_t half_infinity = 0x7C00;
constexpr int half_max_digits = 5;

/// The exact magnitude of the half with these bits. Requires a clear sign bit and bits of at most infinity.
/// Infinity yields the power of two that its bits would stand for.
double half_magnitude(std::uint32_t bits) noexcept {
  const std::uint32_t mantissa = bits & 0x3FF;
  const auto exponent = static_cast<int>(bits >> 10);
  return exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa | 0x400, exponent - 25);
}

/// Whether the half nearest to `value` has these bits, which must not be 0. Of two equally near halves, the
/// even one counts as nearest.
bool reads_back(double value, std::uint32_t bits) noexcept {
  const double magnitude = half_magnitude(bits);
  const double low = (half_magnitude(bits - 1) + magnitude) / 2;
  const double high = (magnitude + half_magnitude(bits + 1)) / 2;
  return (low < value && value < high) || (bits % 2 == 0 && (value == low || value == high));
}

/// `value` rounded to `digits` significant digits.
double rounded(double value, int digits) noexcept {
  char text[32];
  const char* const end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, digits - 1).ptr;
  double result = 0;
  std::from_chars(text, end, result);
  return result;
}

/// The number with the fewest digits that reads back as the half with these bits. Requires a finite half
/// other than 0.
double shortest_half(std::uint32_t bits) noexcept {
  const double magnitude = half_magnitude(bits);
  for (int digits = 1; digits < half_max_digits; ++digits) {
    const double nearest = rounded(magnitude, digits);
    if (reads_back(nearest, bits)) return nearest;
    // Of two equally near numbers, also try the larger one: halves lie closer together below a power of two.
    const double above = rounded(std::nextafter(magnitude, 1), digits);
    if (reads_back(above, bits)) return above;
  }
  return rounded(magnitude, half_max_digits);
}

template <class Number>
std::string number_text(Number value) {
  char buffer[max_canonical_bytes];
  return {buffer, write_canonical_text(value, buffer)};
}

}  // namespace

char* write_canonical_text(double value, char* out) noexcept { return write_float(value, out); }
char* write_canonical_text(float value, char* out) noexcept { return write_float(value, out); }

char* write_canonical_text(Half value, char* out) noexcept {
  const std::uint32_t bits = value.bits & ~half_sign;
  if (bits > half_infinity) return out;
  const double sign = (value.bits & half_sign) != 0 ? -1 : 1;
  if (bits == half_infinity) return write_float(sign * std::numeric_limits<double>::infinity(), out);
  const double magnitude = half_magnitude(bits);
  const bool is_integral = std::trunc(magnitude) == magnitude;
  return write_float(sign * (is_integral ? magnitude : shortest_half(bits)), out);
}

std::string canonical_text(std::int64_t value) { return number_text(value); }
std::string canonical_text(std::uint64_t value) { return number_text(value); }
std::string canonical_text(double value) { return number_text(value); }
std::string canonical_text(float value) { return number_text(value); }
std::string canonical_text(Half value) { return number_text(value); }
std::string canonical_text(bool value) { return value ? "true" : "false"; }

}  // namespace widehash
