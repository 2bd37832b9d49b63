#include <widehash/error.hpp>
#include <widehash/value_column.hpp>

#include <limits>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

template <class Index>
class DictionaryColumn final : public ValueColumn {
 public:
  DictionaryColumn(std::span<const Index> indices, ValueColumnPointer dictionary, Validity validity)
      : ValueColumn(indices.size()),
        indices_(indices),
        dictionary_(std::move(dictionary)),
        validity_(validity),
        values_(dictionary_->num_rows()) {
    dictionary_->read(0, values_.size(), values_.data(), 1, room_);
    for (std::size_t i = 0; i < indices_.size(); ++i) {
      if (is_there(i) && static_cast<std::uint64_t>(indices_[i]) >= values_.size()) {
        throw ShapeError(fmt::format("row {} has index {}, but its dictionary has {} values", i,
                                     static_cast<std::uint64_t>(indices_[i]), values_.size()));
      }
    }
  }

  void read(std::size_t begin, std::size_t count, std::string_view* texts, std::size_t stride,
            TextRoom&) const override {
    for (std::size_t i = 0; i < count; ++i) {
      texts[i * stride] =
          is_there(begin + i) ? values_[static_cast<std::size_t>(indices_[begin + i])] : std::string_view();
    }
  }

  std::span<const std::string_view> dictionary() const noexcept override {
    // The missing value has an index too.
    const bool fits = values_.size() < std::numeric_limits<std::uint32_t>::max();
    return fits ? std::span<const std::string_view>(values_) : std::span<const std::string_view>();
  }

  void read_indices(std::size_t begin, std::size_t count, std::uint32_t* indices) const override {
    const auto missing = static_cast<std::uint32_t>(values_.size());
    for (std::size_t i = 0; i < count; ++i) {
      indices[i] = is_there(begin + i) ? static_cast<std::uint32_t>(indices_[begin + i]) : missing;
    }
  }

 private:
  bool is_there(std::size_t i) const noexcept { return validity_.has(i) && !std::cmp_less(indices_[i], 0); }

  std::span<const Index> indices_;
  ValueColumnPointer dictionary_;
  Validity validity_;
  TextRoom room_;
  std::vector<std::string_view> values_;
};

}  // namespace

template <class Index>
ValueColumnPointer dictionary_column(std::span<const Index> indices, ValueColumnPointer dictionary,
                                     Validity validity) {
  if (dictionary == nullptr) throw ShapeError("the dictionary is a null pointer");
  return std::make_shared<DictionaryColumn<Index>>(indices, std::move(dictionary), validity);
}

template ValueColumnPointer dictionary_column(std::span<const std::int8_t>, ValueColumnPointer, Validity);
template ValueColumnPointer dictionary_column(std::span<const std::int16_t>, ValueColumnPointer, Validity);
template ValueColumnPointer dictionary_column(std::span<const std::int32_t>, ValueColumnPointer, Validity);
template ValueColumnPointer dictionary_column(std::span<const std::int64_t>, ValueColumnPointer, Validity);
template ValueColumnPointer dictionary_column(std::span<const std::uint8_t>, ValueColumnPointer, Validity);
template ValueColumnPointer dictionary_column(std::span<const std::uint16_t>, ValueColumnPointer, Validity);
template ValueColumnPointer dictionary_column(std::span<const std::uint32_t>, ValueColumnPointer, Validity);
template ValueColumnPointer dictionary_column(std::span<const std::uint64_t>, ValueColumnPointer, Validity);

}  // namespace widehash
