#include <widehash/error.hpp>
#include <widehash/value_column.hpp>

#include <algorithm>

namespace widehash {
namespace {

class ViewColumn final : public ValueColumn {
 public:
  explicit ViewColumn(std::span<const std::string_view> values) noexcept
      : ValueColumn(values.size()), values_(values) {}

  void read(std::size_t begin, std::size_t count, std::string_view* texts, std::size_t stride,
            TextRoom&) const override {
    for (std::size_t i = 0; i < count; ++i) texts[i * stride] = values_[begin + i];
  }

 private:
  std::span<const std::string_view> values_;
};

template <class Offset>
class OffsetColumn final : public ValueColumn {
 public:
  OffsetColumn(std::span<const Offset> offsets, std::string_view bytes, Validity validity)
      : ValueColumn(offsets.empty() ? 0 : offsets.size() - 1),
        offsets_(offsets),
        bytes_(bytes),
        validity_(validity) {
    if (offsets.empty()) return;
    if (offsets.front() < 0 || static_cast<std::uint64_t>(offsets.back()) > bytes.size() ||
        !std::is_sorted(offsets.begin(), offsets.end())) {
      throw ShapeError("the offsets of a column of texts decrease or run past the end of its bytes");
    }
  }

  void read(std::size_t begin, std::size_t count, std::string_view* texts, std::size_t stride,
            TextRoom&) const override {
    for (std::size_t i = 0; i < count; ++i) {
      const Offset* const offset = offsets_.data() + begin + i;
      texts[i * stride] =
          validity_.has(begin + i)
              ? std::string_view(bytes_.data() + offset[0], static_cast<std::size_t>(offset[1] - offset[0]))
              : std::string_view();
    }
  }

 private:
  std::span<const Offset> offsets_;
  std::string_view bytes_;
  Validity validity_;
};

}  // namespace

ValueColumnPointer text_column(std::span<const std::string_view> values) {
  return std::make_shared<ViewColumn>(values);
}

template <class Offset>
ValueColumnPointer text_column(std::span<const Offset> offsets, std::string_view bytes, Validity validity) {
  return std::make_shared<OffsetColumn<Offset>>(offsets, bytes, validity);
}

template ValueColumnPointer text_column(std::span<const std::int32_t>, std::string_view, Validity);
template ValueColumnPointer text_column(std::span<const std::int64_t>, std::string_view, Validity);

}  // namespace widehash
