#include "decimal_column.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

namespace widehash::detail {
namespace {

using Int128 = __int128;
using Uint128 = unsigned __int128;

constexpr std::size_t max_bytes = 40;  // a sign and the 39 digits of 2^127

char* write_integer(Int128 value, char* out) noexcept {
  Uint128 rest = value < 0 ? 0 - static_cast<Uint128>(value) : static_cast<Uint128>(value);
  char digits[max_bytes];
  char* first = digits + max_bytes;
  do {
    *--first = static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  } while (rest != 0);
  if (value < 0) *--first = '-';
  return std::copy(first, digits + max_bytes, out);
}

/// 128-bit integers, least significant byte first.
class WideIntegerColumn final : public ValueColumn {
 public:
  WideIntegerColumn(const std::byte* values, std::size_t num_rows, Validity validity) noexcept
      : ValueColumn(num_rows), values_(values), validity_(validity) {}

  void read(std::size_t begin, std::size_t count, std::string_view* texts, std::size_t stride,
            TextRoom& room) const override {
    for (std::size_t i = 0; i < count; ++i) {
      texts[i * stride] = validity_.has(begin + i) ? text(begin + i, room) : std::string_view();
    }
  }

 private:
  std::string_view text(std::size_t row, TextRoom& room) const {
    Int128 value;  // copied out because it may be unaligned
    std::memcpy(&value, values_ + row * sizeof value, sizeof value);
    return room.keep(write_integer(value, room.begin(max_bytes)));
  }

  const std::byte* values_;
  Validity validity_;
};

template <class Integer>
ValueColumnPointer integers(const void* values, std::size_t begin, std::size_t length, Validity validity) {
  return number_column(std::span(static_cast<const Integer*>(values) + begin, length), validity);
}

/// Parses the number that `text` begins with, and removes it from `text` along with the character after it.
/// Returns -1 if there is no number.
int take_number(std::string_view& text) noexcept {
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(std::min(static_cast<std::size_t>(end - text.data()) + 1, text.size()));
  return error == std::errc() ? number : -1;
}

}  // namespace

ValueColumnPointer whole_decimal_column(std::string_view format, const void* values, std::size_t begin,
                                        std::size_t length, Validity validity) {
  format.remove_prefix(std::string_view("d:").size());
  take_number(format);  // the precision
  const int scale = take_number(format);
  const int bits = format.empty() ? 128 : take_number(format);
  if (scale != 0) return nullptr;
  if (bits == 32) return integers<std::int32_t>(values, begin, length, validity);
  if (bits == 64) return integers<std::int64_t>(values, begin, length, validity);
  if (bits != 128) return nullptr;
  const auto* const first = static_cast<const std::byte*>(values) + begin * sizeof(Int128);
  return std::make_shared<WideIntegerColumn>(first, length, validity);
}

}  // namespace widehash::detail
