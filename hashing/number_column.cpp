#include <widehash/canonical_text.hpp>
#include <widehash/value_column.hpp>

#include <algorithm>
#include <concepts>
#include <type_traits>

namespace widehash {
namespace {

std::string_view word(bool value) noexcept { return value ? "true" : "false"; }

template <class Number>
class NumberColumn final : public ValueColumn {
 public:
  NumberColumn(std::span<const Number> values, Validity validity) noexcept
      : ValueColumn(values.size()), values_(values), validity_(validity) {}

  void read(std::size_t begin, std::size_t count, std::string_view* texts, std::size_t stride,
            TextRoom& room) const override {
    for (std::size_t done = 0; done < count; done += rows_at_once) {
      char* next = room.begin(rows_at_once * max_bytes);
      for (std::size_t i = done; i < std::min(count, done + rows_at_once); ++i) {
        const char* const text = next;
        if (validity_.has(begin + i))
          next = write_canonical_text(static_cast<Widest>(values_[begin + i]), next);
        texts[i * stride] = {text, static_cast<std::size_t>(next - text)};
      }
      room.keep(next);
    }
  }

 private:
  using WidestInteger = std::conditional_t<std::is_signed_v<Number>, std::int64_t, std::uint64_t>;
  using Widest = std::conditional_t<std::integral<Number>, WidestInteger, Number>;
  static constexpr std::size_t max_bytes = std::integral<Number> ? max_integer_bytes : max_canonical_bytes;
  static constexpr std::size_t rows_at_once = 64;

  std::span<const Number> values_;
  Validity validity_;
};

class BooleanColumn final : public ValueColumn {
 public:
  BooleanColumn(std::span<const std::uint8_t> values, Validity validity) noexcept
      : ValueColumn(values.size()), values_(values), validity_(validity) {}

  void read(std::size_t begin, std::size_t count, std::string_view* texts, std::size_t stride,
            TextRoom&) const override {
    for (std::size_t i = 0; i < count; ++i) {
      texts[i * stride] = validity_.has(begin + i) ? word(values_[begin + i] != 0) : std::string_view();
    }
  }

 private:
  std::span<const std::uint8_t> values_;
  Validity validity_;
};

class BitColumn final : public ValueColumn {
 public:
  BitColumn(Validity bits, std::size_t num_rows, Validity validity) noexcept
      : ValueColumn(num_rows), bits_(bits), validity_(validity) {}

  void read(std::size_t begin, std::size_t count, std::string_view* texts, std::size_t stride,
            TextRoom&) const override {
    for (std::size_t i = 0; i < count; ++i) {
      texts[i * stride] = validity_.has(begin + i) ? word(bits_.has(begin + i)) : std::string_view();
    }
  }

 private:
  Validity bits_;
  Validity validity_;
};

}  // namespace

template <class Number>
ValueColumnPointer number_column(std::span<const Number> values, Validity validity) {
  return std::make_shared<NumberColumn<Number>>(values, validity);
}

ValueColumnPointer boolean_column(std::span<const std::uint8_t> values, Validity validity) {
  return std::make_shared<BooleanColumn>(values, validity);
}

ValueColumnPointer bit_column(const std::uint8_t* bits, std::size_t bit_offset, std::size_t num_rows,
                              Validity validity) {
  return std::make_shared<BitColumn>(Validity{bits, bit_offset}, num_rows, validity);
}

template ValueColumnPointer number_column(std::span<const Half>, Validity);
template ValueColumnPointer number_column(std::span<const float>, Validity);
template ValueColumnPointer number_column(std::span<const double>, Validity);
template ValueColumnPointer number_column(std::span<const std::int8_t>, Validity);
template ValueColumnPointer number_column(std::span<const std::int16_t>, Validity);
template ValueColumnPointer number_column(std::span<const std::int32_t>, Validity);
template ValueColumnPointer number_column(std::span<const std::int64_t>, Validity);
template ValueColumnPointer number_column(std::span<const std::uint8_t>, Validity);
template ValueColumnPointer number_column(std::span<const std::uint16_t>, Validity);
template ValueColumnPointer number_column(std::span<const std::uint32_t>, Validity);
template ValueColumnPointer number_column(std::span<const std::uint64_t>, Validity);

}  // namespace widehash
