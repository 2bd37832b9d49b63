#include <widehash/error.hpp>
#include <widehash/internal/value_list.hpp>
#include <widehash/value_column.hpp>

#include <algorithm>
#include <utility>

namespace widehash {
namespace {

class ListColumn final : public ValueColumn {
 public:
  ListColumn(std::vector<std::uint64_t> offsets, ValueColumnPointer values, Validity validity)
      : ValueColumn(offsets.empty() ? 0 : offsets.size() - 1),
        offsets_(std::move(offsets)),
        values_(std::move(values)),
        validity_(validity) {
    if (values_->is_list()) throw ShapeError("a column cannot hold lists of lists");
    if (offsets_.empty()) return;
    if (offsets_.back() > values_->num_rows() || !std::is_sorted(offsets_.begin(), offsets_.end())) {
      throw ShapeError("the offsets of a column of lists decrease or run past the end of its values");
    }
  }

  void read(std::size_t, std::size_t, std::string_view*, std::size_t, TextRoom&) const override {
    throw ConfigError(
        "a column of lists does not have one text per row; only a multi-valued feature can use it");
  }

  void require_readable() const override { values_->require_readable(); }

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

}  // namespace

ValueColumnPointer list_column(std::vector<std::uint64_t> offsets, ValueColumnPointer values,
                               Validity validity) {
  if (values == nullptr) throw ShapeError("the column of a list's values is a null pointer");
  return std::make_shared<ListColumn>(std::move(offsets), std::move(values), validity);
}

}  // namespace widehash
