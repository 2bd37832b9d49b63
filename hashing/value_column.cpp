#include <widehash/canonical_text.hpp>
#include <widehash/error.hpp>
#include <widehash/value_column.hpp>
#include <widehash/value_list.hpp>

#include <algorithm>
#include <concepts>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{64} << 10;

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
  using Widest = std::conditional_t<std::floating_point<Number>, Number, WidestInteger>;
  static constexpr std::size_t max_bytes =
      std::floating_point<Number> ? max_canonical_bytes : max_integer_bytes;
  static constexpr std::size_t rows_at_once = 64;
  static_assert(rows_at_once * max_bytes <= chunk_bytes);

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
      throw ShapeError("the offsets of a column of texts fall, or pass the end of its bytes");
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
        throw ShapeError(fmt::format("row {} names value {} of a dictionary of {}", i,
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
    // The missing one has an index too.
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

class ListColumn final : public ValueColumn {
 public:
  ListColumn(std::vector<std::uint64_t> offsets, ValueColumnPointer values, Validity validity)
      : ValueColumn(offsets.empty() ? 0 : offsets.size() - 1),
        offsets_(std::move(offsets)),
        values_(std::move(values)),
        validity_(validity) {
    if (values_->is_list()) throw ShapeError("a column of lists of lists");
    if (offsets_.empty()) return;
    if (offsets_.back() > values_->num_rows() || !std::is_sorted(offsets_.begin(), offsets_.end())) {
      throw ShapeError("the offsets of a column of lists fall, or pass the end of its values");
    }
  }

  void read(std::size_t, std::size_t, std::string_view*, std::size_t, TextRoom&) const override {
    throw ConfigError("a column of lists has no one text a row; only a multi-valued feature takes it");
  }

  bool is_list() const noexcept override { return true; }

  void read_lists(std::size_t begin, std::size_t count, std::string_view* lists, std::size_t stride,
                  TextRoom& room) const override {
    const std::uint64_t first = offsets_[begin];
    std::vector<std::string_view> texts(offsets_[begin + count] - first);
    values_->read(first, texts.size(), texts.data(), 1, room);
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_there = validity_.has(begin + i);
      const std::uint64_t from = offsets_[begin + i] - first;
      const std::uint64_t size = is_there ? offsets_[begin + i + 1] - first - from : 0;
      lists[i * stride] = write_list(std::span(texts).subspan(from, size), room);
    }
  }

 private:
  static std::string_view write_list(std::span<const std::string_view> values, TextRoom& room) {
    std::size_t bytes = 0;
    for (const std::string_view value : values) bytes += listed_bytes(value.size());
    char* to = room.begin(bytes);
    for (const std::string_view value : values) to = write_listed(value, to);
    return room.keep(to);
  }

  std::vector<std::uint64_t> offsets_;
  ValueColumnPointer values_;
  Validity validity_;
};

class MissingColumn final : public ValueColumn {
 public:
  explicit MissingColumn(std::size_t num_rows) noexcept : ValueColumn(num_rows) {}

  void read(std::size_t, std::size_t count, std::string_view* texts, std::size_t stride,
            TextRoom&) const override {
    for (std::size_t i = 0; i < count; ++i) texts[i * stride] = {};
  }
};

class UnreadableColumn final : public ValueColumn {
 public:
  UnreadableColumn(std::size_t num_rows, std::string name, std::string type)
      : ValueColumn(num_rows), name_(std::move(name)), type_(std::move(type)) {}

  void read(std::size_t, std::size_t, std::string_view*, std::size_t, TextRoom&) const override {
    throw ConfigError(fmt::format(
        "column '{}' has {}, for which there is no one text; convert it to text, written as it is "
        "in the files that the model is trained on",
        name_, type_));
  }

 private:
  std::string name_;
  std::string type_;
};

}  // namespace

void ValueColumn::read_indices(std::size_t, std::size_t, std::uint32_t*) const {
  throw ShapeError("a column without a dictionary has no indices");
}

void ValueColumn::read_lists(std::size_t, std::size_t, std::string_view*, std::size_t, TextRoom&) const {
  throw ShapeError("a column whose rows hold one value each has no lists");
}

char* TextRoom::begin(std::size_t bytes) {
  if (bytes > chunk_bytes) {
    free_ = large_.emplace_back(std::make_unique_for_overwrite<char[]>(bytes)).get();
    end_ = free_ + bytes;
  } else if (static_cast<std::size_t>(end_ - free_) < bytes) {
    if (used_chunks_ == chunks_.size()) {
      chunks_.push_back(std::make_unique_for_overwrite<char[]>(chunk_bytes));
    }
    free_ = chunks_[used_chunks_++].get();
    end_ = free_ + chunk_bytes;
  }
  return free_;
}

std::string_view TextRoom::keep(const char* end) noexcept {
  const std::string_view text(free_, static_cast<std::size_t>(end - free_));
  free_ += text.size();
  return text;
}

void TextRoom::clear() noexcept {
  used_chunks_ = 0;
  large_.clear();
  free_ = end_ = nullptr;
}

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

ValueColumnPointer text_column(std::span<const std::string_view> values) {
  return std::make_shared<ViewColumn>(values);
}

template <class Offset>
ValueColumnPointer text_column(std::span<const Offset> offsets, std::string_view bytes, Validity validity) {
  return std::make_shared<OffsetColumn<Offset>>(offsets, bytes, validity);
}

template <class Index>
ValueColumnPointer dictionary_column(std::span<const Index> indices, ValueColumnPointer dictionary,
                                     Validity validity) {
  return std::make_shared<DictionaryColumn<Index>>(indices, std::move(dictionary), validity);
}

ValueColumnPointer list_column(std::vector<std::uint64_t> offsets, ValueColumnPointer values,
                               Validity validity) {
  return std::make_shared<ListColumn>(std::move(offsets), std::move(values), validity);
}

ValueColumnPointer unreadable_column(std::size_t num_rows, std::string name, std::string type) {
  return std::make_shared<UnreadableColumn>(num_rows, std::move(name), std::move(type));
}

ValueColumnPointer missing_column(std::size_t num_rows) { return std::make_shared<MissingColumn>(num_rows); }

template ValueColumnPointer text_column(std::span<const std::int32_t>, std::string_view, Validity);
template ValueColumnPointer text_column(std::span<const std::int64_t>, std::string_view, Validity);
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
template ValueColumnPointer dictionary_column(std::span<const std::int8_t>, ValueColumnPointer, Validity);
template ValueColumnPointer dictionary_column(std::span<const std::int16_t>, ValueColumnPointer, Validity);
template ValueColumnPointer dictionary_column(std::span<const std::int32_t>, ValueColumnPointer, Validity);
template ValueColumnPointer dictionary_column(std::span<const std::int64_t>, ValueColumnPointer, Validity);
template ValueColumnPointer dictionary_column(std::span<const std::uint8_t>, ValueColumnPointer, Validity);
template ValueColumnPointer dictionary_column(std::span<const std::uint16_t>, ValueColumnPointer, Validity);
template ValueColumnPointer dictionary_column(std::span<const std::uint32_t>, ValueColumnPointer, Validity);
template ValueColumnPointer dictionary_column(std::span<const std::uint64_t>, ValueColumnPointer, Validity);

}  // namespace widehash
