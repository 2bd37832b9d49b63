#include <widehash/canonical_text.hpp>

#include <charconv>
#include <cmath>
#include <limits>

namespace widehash {
namespace {

template <class Integer>
std::string integer_text(Integer value) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

template <class Float>
std::string float_text(Float value) {
  if (std::isnan(value)) return {};
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == 0) return "0";  // -0.0 is the integer 0
  char buffer[std::numeric_limits<double>::max_exponent10 + 8];
  char* const last = buffer + sizeof buffer;
  // Precision 0 writes an integral number exactly, however large; the shortest form would pad it with zeros.
  const auto end = std::trunc(value) == value
                       ? std::to_chars(buffer, last, value, std::chars_format::fixed, 0).ptr
                       : std::to_chars(buffer, last, value).ptr;
  return {buffer, end};
}

}  // namespace

std::string canonical_text(std::int64_t value) { return integer_text(value); }
std::string canonical_text(std::uint64_t value) { return integer_text(value); }
std::string canonical_text(double value) { return float_text(value); }
std::string canonical_text(float value) { return float_text(value); }
std::string canonical_text(bool value) { return value ? "true" : "false"; }

}  // namespace widehash
