#include "arrow_column.hpp"

#include "arrow_extension.hpp"
#include "arrow_type_name.hpp"
#include "decimal_column.hpp"

#include <widehash/canonical_text.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/parse_all.hpp>
#include <widehash/time_column.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace widehash::detail {
namespace {

/// Texts in Arrow's view layout: 16 bytes each, holding the length and then either the text or its place.
class TextViewColumn final : public ValueColumn {
 public:
  struct View {
    std::int32_t length;
    char prefix[4];
    std::int32_t buffer;
    std::int32_t offset;
  };
  static_assert(sizeof(View) == 16);
  static constexpr std::int32_t inline_bytes = 12;

  /// `data_bytes[b]` is the size of buffer b in bytes.
  TextViewColumn(std::span<const View> views, const void* const* data,
                 std::span<const std::int64_t> data_bytes, Validity validity)
      : ValueColumn(views.size()), views_(views), data_(data), validity_(validity) {
    for (std::size_t i = 0; i < views.size(); ++i) {
      const View& view = views[i];
      if (!validity_.has(i) || (view.length >= 0 && view.length <= inline_bytes)) continue;
      if (view.length < 0 || view.offset < 0 || !std::cmp_less(view.buffer, data_bytes.size()) ||
          view.buffer < 0 ||
          std::int64_t{view.offset} + view.length > data_bytes[static_cast<std::size_t>(view.buffer)]) {
        throw ShapeError(fmt::format("the text of row {} lies outside its buffers", i));
      }
    }
  }

  void read(std::size_t begin, std::size_t count, std::string_view* texts, std::size_t stride,
            TextRoom&) const override {
    for (std::size_t i = 0; i < count; ++i) {
      texts[i * stride] = validity_.has(begin + i) ? text(views_[begin + i]) : std::string_view();
    }
  }

 private:
  std::string_view text(const View& view) const noexcept {
    const auto length = static_cast<std::size_t>(view.length);
    if (view.length <= inline_bytes) return {view.prefix, length};
    return {static_cast<const char*>(data_[view.buffer]) + view.offset, length};
  }

  std::span<const View> views_;
  const void* const* data_;
  Validity validity_;
};

/// Texts of one fixed size, stored contiguously.
class FixedTextColumn final : public ValueColumn {
 public:
  FixedTextColumn(const char* texts, std::size_t text_bytes, std::size_t num_rows, Validity validity)
      : ValueColumn(num_rows), texts_(texts), text_bytes_(text_bytes), validity_(validity) {}

  void read(std::size_t begin, std::size_t count, std::string_view* texts, std::size_t stride,
            TextRoom&) const override {
    for (std::size_t i = begin; i < begin + count; ++i, texts += stride) {
      *texts =
          validity_.has(i) ? std::string_view(texts_ + i * text_bytes_, text_bytes_) : std::string_view();
    }
  }

 private:
  const char* texts_;
  std::size_t text_bytes_;
  Validity validity_;
};

/// The parts of an array that columns are made from.
struct Parts {
  const ArrowArray& array;
  std::size_t begin;  // first row within the buffers
  std::size_t length;

  Validity validity() const noexcept {
    if (array.null_count == 0 || array.n_buffers == 0 || array.buffers == nullptr) return {};
    return {static_cast<const std::uint8_t*>(array.buffers[0]), begin};
  }
  template <class T>
  const T* buffer(std::int64_t index) const {
    return buffer<T>(index, length);
  }
  /// The same for a buffer that may be missing where it is to hold nothing.
  template <class T>
  const T* buffer(std::int64_t index, std::size_t size) const {
    if (index >= array.n_buffers) {
      throw ShapeError(fmt::format("{} buffers, too few for its type", array.n_buffers));
    }
    const void* const found = array.buffers == nullptr ? nullptr : array.buffers[index];
    if (found == nullptr && size > 0) throw ShapeError(fmt::format("buffer {} is missing", index));
    return static_cast<const T*>(found);
  }
  template <class T>
  std::span<const T> values() const {
    return {buffer<T>(1) + begin, length};
  }
};

/// One for each row and one more.
template <class Offset>
std::span<const Offset> offsets_of(const Parts& parts) {
  static constexpr Offset none = 0;  // a column without rows may have no offsets
  const Offset* const found = parts.buffer<Offset>(1);
  return {found == nullptr ? &none : found + parts.begin, parts.length + 1};
}

template <class Offset>
ValueColumnPointer offset_texts(const Parts& parts) {
  const std::span<const Offset> offsets = offsets_of<Offset>(parts);
  // The last offset is the only statement of how many bytes of text there are.
  const auto num_bytes = static_cast<std::size_t>(std::max<Offset>(offsets.back(), 0));
  return text_column(offsets, {parts.buffer<char>(2, num_bytes), num_bytes}, parts.validity());
}

ValueColumnPointer view_texts(const Parts& parts) {
  // The buffers are the validity, the views, any number of text buffers, and the sizes of those text buffers.
  const std::int64_t last = std::max<std::int64_t>(parts.array.n_buffers - 1, 2);
  const auto num_texts = static_cast<std::size_t>(last - 2);
  const auto* const data_bytes = parts.buffer<std::int64_t>(last, num_texts);
  return std::make_shared<TextViewColumn>(parts.values<TextViewColumn::View>(), parts.array.buffers + 2,
                                          std::span(data_bytes, num_texts), parts.validity());
}

/// Calls make(a value of the integer type that `format` stands for). Returns null if `format` is no integer
/// type.
template <class Make>
ValueColumnPointer with_integer(char format, const Make& make) {
  switch (format) {
    case 'c':
      return make(std::int8_t{});
    case 'C':
      return make(std::uint8_t{});
    case 's':
      return make(std::int16_t{});
    case 'S':
      return make(std::uint16_t{});
    case 'i':
      return make(std::int32_t{});
    case 'I':
      return make(std::uint32_t{});
    case 'l':
      return make(std::int64_t{});
    case 'L':
      return make(std::uint64_t{});
    default:
      return nullptr;
  }
}

/// The number after the `:` of a format; nullopt if there is none.
std::optional<std::uint32_t> size_in(std::string_view format) {
  return parse_all<std::uint32_t>(format.substr(format.find(':') + 1));
}

ValueColumnPointer fixed_texts(const Parts& parts, std::size_t text_bytes) {
  return std::make_shared<FixedTextColumn>(parts.buffer<char>(1) + parts.begin * text_bytes, text_bytes,
                                           parts.length, parts.validity());
}

/// The time zone of a timestamp format: what follows the colon of "tsu:UTC".
std::string_view zone_of(std::string_view timestamp) { return timestamp.substr(4); }

bool is_timestamp(std::string_view format) {
  return format.size() >= 4 && format.starts_with("ts") && format[3] == ':';
}

/// In other zones, the hour depends on the zone's history.
bool is_utc(std::string_view zone) {
  return zone.empty() || zone == "UTC" || zone == "Etc/UTC" || zone == "Z" || zone == "+00:00" ||
         zone == "GMT";
}

std::optional<TimeUnit> unit_of(char unit) {
  switch (unit) {
    case 's':
      return TimeUnit::second;
    case 'm':
      return TimeUnit::millisecond;
    case 'u':
      return TimeUnit::microsecond;
    case 'n':
      return TimeUnit::nanosecond;
    default:
      return std::nullopt;
  }
}

/// Null if `format` is neither a timestamp nor a date.
ValueColumnPointer times_of(std::string_view format, const Parts& parts) {
  if (format == "tdD") return time_column(parts.values<std::int32_t>(), TimeUnit::day, parts.validity());
  if (format == "tdm")
    return time_column(parts.values<std::int64_t>(), TimeUnit::day_in_milliseconds, parts.validity());
  const auto unit = is_timestamp(format) && is_utc(zone_of(format)) ? unit_of(format[2]) : std::nullopt;
  return unit ? time_column(parts.values<std::int64_t>(), *unit, parts.validity()) : nullptr;
}

ValueColumnPointer plain_column(std::string_view format, const Parts& parts) {
  if (format == "vu" || format == "vz") return view_texts(parts);
  if (format.starts_with("w:")) {
    const auto size = size_in(format);
    return size ? fixed_texts(parts, *size) : nullptr;
  }
  if (format.starts_with("d:")) {
    return whole_decimal_column(format, parts.buffer<std::byte>(1), parts.begin, parts.length,
                                parts.validity());
  }
  if (format.starts_with('t')) return times_of(format, parts);
  if (format.size() != 1) return nullptr;
  switch (format[0]) {
    case 'n':
      return missing_column(parts.length);
    case 'b':
      return bit_column(parts.buffer<std::uint8_t>(1), parts.begin, parts.length, parts.validity());
    case 'e':
      return number_column(parts.values<Half>(), parts.validity());
    case 'f':
      return number_column(parts.values<float>(), parts.validity());
    case 'g':
      return number_column(parts.values<double>(), parts.validity());
    case 'u':
    case 'z':
      return offset_texts<std::int32_t>(parts);
    case 'U':
    case 'Z':
      return offset_texts<std::int64_t>(parts);
    default:
      return with_integer(format[0], [&]<class Integer>(Integer) {
        return number_column(parts.values<Integer>(), parts.validity());
      });
  }
}

template <class Offset>
std::vector<std::uint64_t> list_offsets(const Parts& parts) {
  const std::span<const Offset> offsets = offsets_of<Offset>(parts);
  // A negative offset becomes a large number, and is then refused as decreasing or past the end.
  return {offsets.begin(), offsets.end()};
}

/// Offsets of lists of `size` values each.
std::vector<std::uint64_t> even_offsets(const Parts& parts, std::uint64_t size) {
  std::vector<std::uint64_t> offsets(parts.length + 1);
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = (parts.begin + i) * size;
  return offsets;
}

/// Where the values of each row begin and end among those of the only child; nullopt if the type is no list.
std::optional<std::vector<std::uint64_t>> offsets_of(std::string_view format, const Parts& parts) {
  if (format == "+l") return list_offsets<std::int32_t>(parts);
  if (format == "+L") return list_offsets<std::int64_t>(parts);
  if (!format.starts_with("+w:")) return std::nullopt;
  const auto size = size_in(format);
  return size ? std::optional(even_offsets(parts, *size)) : std::nullopt;
}

ValueColumnPointer column_of(const ArrowSchema& field, const ArrowArray& array, ArrowRows rows);

ValueColumnPointer list_of(const ArrowSchema& field, const ArrowArray& array, const Parts& parts) {
  auto offsets = offsets_of(field.format, parts);
  if (!offsets) return nullptr;
  if (field.n_children != 1 || array.n_children != 1) throw ShapeError("lists without their values");
  const ValueColumnPointer values =
      column_of(*field.children[0], *array.children[0], {0, array.children[0]->length});
  if (!values || values->is_list()) return nullptr;
  return list_column(std::move(*offsets), values, parts.validity());
}

/// Null for a type whose values have no text.
ValueColumnPointer column_of(const ArrowSchema& field, const ArrowArray& array, ArrowRows rows) {
  if (rows.offset < 0 || rows.length < 0 || array.offset < 0 || array.length < 0) {
    throw ShapeError("a negative length or offset");
  }
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  if (array.offset > most - array.length || rows.offset > most - rows.length) {
    throw ShapeError("its length and offset are too large");
  }
  if (rows.offset + rows.length > array.length) {
    throw ShapeError(fmt::format("{} rows, but the batch has {}", array.length, rows.offset + rows.length));
  }
  // A column without rows may have no buffers.
  if (rows.length == 0) return missing_column(0);
  const Parts parts{array, static_cast<std::size_t>(array.offset + rows.offset),
                    static_cast<std::size_t>(rows.length)};
  const std::string_view format = field.format;
  if (const auto extension = arrow_extension(field)) {
    const ExtensionTexts read_as = extension_texts(*extension, field);
    if (read_as == ExtensionTexts::none) return nullptr;
    if (read_as == ExtensionTexts::booleans) {
      return boolean_column(parts.values<std::uint8_t>(), parts.validity());
    }
  }
  if (format.starts_with('+')) return list_of(field, array, parts);
  if (field.dictionary == nullptr) return plain_column(format, parts);
  if (array.dictionary == nullptr) throw ShapeError("indices without their dictionary");
  ValueColumnPointer dictionary =
      column_of(*field.dictionary, *array.dictionary, {0, array.dictionary->length});
  if (!dictionary || dictionary->is_list() || format.size() != 1) return nullptr;
  return with_integer(format[0], [&]<class Integer>(Integer) {
    return dictionary_column(parts.values<Integer>(), dictionary, parts.validity());
  });
}

/// What the caller can do about a column whose values are stored in an unsupported layout; "" if there is no
/// such remedy.
std::string remedy_for(const ArrowSchema& field) {
  const std::string_view format = field.format;
  if (format.starts_with("+vl") || format.starts_with("+vL"))
    return "cast it to a list, such as pyarrow.list_(pyarrow.string())";
  if (is_timestamp(format))
    return "convert it to local times without a zone: pyarrow.compute.local_timestamp(), or "
           ".dt.replace_time_zone(None) in Polars";
  if (format == "+r") return "decode it with pyarrow.compute.run_end_decode()";
  return {};
}

}  // namespace

ValueColumnPointer arrow_column(const ArrowSchema& field, const ArrowArray& array, ArrowRows rows,
                                const std::string& name) {
  try {
    ValueColumnPointer column = column_of(field, array, rows);
    if (column) return column;
    return unreadable_column(static_cast<std::size_t>(rows.length), name,
                             fmt::format("the Arrow type '{}'", arrow_type_name(field)), remedy_for(field));
  } catch (const ShapeError& error) {
    throw ShapeError(fmt::format("column '{}' of an Arrow table: {}", name, error.what()));
  }
}

}  // namespace widehash::detail
