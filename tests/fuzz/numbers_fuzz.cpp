// Texts of the command line and of tables that stand for numbers (sizes, devices, numeric fields), and text
// that goes to a terminal.
#include "byte_size.hpp"
#include "claims.hpp"
#include "encode/target_parser.hpp"
#include "fuzz_bytes.hpp"
#include "text.hpp"

#include <widehash/canonical_text.hpp>
#include <widehash/device.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/utf8.hpp>

#include <cmath>
#include <cstdlib>
#include <string>

using namespace widehash;

namespace {

void try_size(std::string_view text) {
  const auto bytes = tools::parse_byte_size(text);
  if (!bytes) return;
  fuzz::require(*bytes > 0, "a size is at least one byte");
  fuzz::require(tools::parse_byte_size(tools::byte_size_text(*bytes)) == bytes, "a size reads back");
}

void try_number(std::string_view text) {
  const auto number = parse_number(text);
  if (!number) return;
  // An independent reader, which accepts more texts than parse_number does.
  const std::string copy(text);
  char* end = nullptr;
  const double expected = std::strtod(copy.c_str(), &end);
  fuzz::require(end == copy.c_str() + copy.size() && expected == *number, "a number is what strtod reads");
  fuzz::require(std::isfinite(*number), "a number is finite");
  fuzz::require(parse_number(canonical_text(*number)) == number, "the canonical text of a number reads back");
}

void try_text(std::string_view text) {
  const std::string printable = tools::printable(text);
  for (const char c : printable) {
    fuzz::require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F,
                  "no control character reaches a terminal");
  }
  fuzz::require(is_utf8(printable), "what is printed is UTF-8");
  fuzz::require(is_utf8(tools::quoted_value(text, 20)), "a value that was cut is UTF-8");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try_size(text);
  try_number(text);
  try_text(text);
  fuzz::FuzzBytes input(data, size);
  const auto count = input.take<std::uint64_t>();
  const auto real = input.take<double>();
  // No size is 0.
  fuzz::require(tools::parse_byte_size(tools::byte_size_text(count)).value_or(0) == count,
                "any size reads back");
  if (std::isfinite(real)) {
    fuzz::require(parse_number(canonical_text(real)).value_or(NAN) == real, "any number reads back");
  }
  tools::count_text(count);
  tools::bytes_text(count);
  tools::estimate_text(real);
  tools::seconds_text(real);
  tools::rate_text(count, real);
  try {
    parse_devices(text.substr(0, 64));
  } catch (const Error&) {
  }
  return 0;
}
