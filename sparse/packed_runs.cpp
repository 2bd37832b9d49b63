#include "packed_runs.hpp"

#include <widehash/code.hpp>
#include <widehash/error.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

#include <fmt/format.h>

namespace widehash::detail {
namespace {

static_assert(std::endian::native == std::endian::little, "buckets are copied as they lie in memory");

/// Returns how many bytes a number below `limit` takes.
std::size_t bytes_below(std::uint64_t limit) noexcept {
  const auto bits = static_cast<std::size_t>(std::bit_width(std::max<std::uint64_t>(limit, 2) - 1));
  return (bits + 7) / 8;
}

/// A ragged feature. Its values have `singles` columns of their own, as a head or as one-hot columns, or four
/// columns behind those, or either.
struct RunBlock {
  const std::string& name;
  std::uint32_t first_column;
  std::uint32_t num_columns;
  std::uint32_t singles;
  std::uint32_t width;  // 0: no value has four columns
  bool is_mixed;        // values of either kind

  explicit RunBlock(const FeatureBlock& block) noexcept
      : name(block.name),
        first_column(static_cast<std::uint32_t>(block.column_offset)),
        num_columns(static_cast<std::uint32_t>(block.num_columns)),
        singles(block.encoding == Encoding::exact ? block.head_columns : block.buckets),
        width(block.encoding == Encoding::one_hot ? 0 : block.width),
        is_mixed(block.encoding == Encoding::exact) {}

  bool is_single(std::uint32_t column) const noexcept { return column - first_column < singles; }
  /// Whether these four columns are those of a code.
  bool are_code(const std::uint32_t* columns) const noexcept {
    for (std::uint32_t k = 0; k < num_splits; ++k) {
      if (columns[k] - first_column - singles - k * width >= width) return false;
    }
    return true;
  }
};

/// The values of one feature in a run.
struct RunValues {
  std::span<const std::uint32_t> columns;
  std::uint64_t count = 0;
  bool has_codes = false;
};

/// Takes the columns of `block` from the front of `columns`. Returns false if they are not whole values.
bool take_values(const RunBlock& block, std::span<const std::uint32_t>& columns, RunValues& values) {
  std::size_t at = 0;
  while (at < columns.size() && columns[at] - block.first_column < block.num_columns) {
    if (block.is_single(columns[at])) {
      ++at;
    } else if (columns.size() - at >= num_splits && block.are_code(&columns[at])) {
      at += num_splits;
      values.has_codes = true;
    } else {
      return false;
    }
    ++values.count;
  }
  values.columns = columns.first(at);
  columns = columns.subspan(at);
  return true;
}

/// Calls use(block, values) for each ragged feature. Returns what is wrong with the columns, or "".
template <class Use>
std::string for_each_block(const CodeLayout& layout, std::span<const std::uint32_t> columns, const Use& use) {
  for (const std::uint32_t position : layout.ragged_blocks) {
    const RunBlock block(layout.blocks[position]);
    RunValues values;
    if (!take_values(block, columns, values))
      return fmt::format("the ragged columns of feature '{}' are not those of whole values", block.name);
    use(block, values);
  }
  if (columns.empty()) return "";
  return fmt::format("ragged column {} belongs to no ragged feature, or comes out of schema order",
                     columns.front());
}

template <std::size_t Bytes>
std::uint32_t load(const std::byte* from) noexcept {
  std::uint32_t number = 0;
  std::memcpy(&number, from, Bytes);
  return number;
}

/// Calls use(std::integral_constant<std::size_t, bytes>()), for 1 to 4 bytes.
template <class Use>
auto with_bytes(std::size_t bytes, const Use& use) {
  switch (bytes) {
    case 1:
      return use(std::integral_constant<std::size_t, 1>());
    case 2:
      return use(std::integral_constant<std::size_t, 2>());
    case 3:
      return use(std::integral_constant<std::size_t, 3>());
    default:
      return use(std::integral_constant<std::size_t, 4>());
  }
}

/// The first columns of the four splits.
std::array<std::uint32_t, num_splits> first_columns(const RunBlock& block) noexcept {
  const std::uint32_t first = block.first_column + block.singles;
  return {first, first + block.width, first + 2 * block.width, first + 3 * block.width};
}

/// Writes the columns of `count` codes to `to`. Returns whether all buckets exist.
template <std::size_t Bytes>
bool codes_to_columns(const std::byte* from, std::uint64_t count, const RunBlock& block, std::uint32_t* to) {
  const auto firsts = first_columns(block);
  bool fit = true;
  for (std::uint64_t value = 0; value < count; ++value) {
    for (std::uint32_t k = 0; k < num_splits; ++k, from += Bytes) {
      const std::uint32_t bucket = load<Bytes>(from);
      fit &= bucket < block.width;
      *to++ = firsts[k] + bucket;
    }
  }
  return fit;
}

class Packer {
 public:
  explicit Packer(std::vector<std::byte>& packed) noexcept : packed_(packed) {}

  void add(const RunBlock& block, const RunValues& values) {
    put_count(block.is_mixed ? 2 * values.count + (values.has_codes ? 1 : 0) : values.count);
    if (block.is_mixed && values.has_codes) put_marks(block, values);
    if (block.singles == 0) {
      with_bytes(bytes_below(block.width), [&](auto bytes) { put_codes<bytes>(block, values); });
      return;
    }
    const std::size_t single_bytes = bytes_below(block.singles);
    const std::size_t bucket_bytes = bytes_below(block.width);
    const auto firsts = first_columns(block);
    for (std::size_t at = 0; at < values.columns.size();) {
      if (block.is_single(values.columns[at])) {
        put(values.columns[at++] - block.first_column, single_bytes);
      } else {
        for (std::uint32_t k = 0; k < num_splits; ++k) put(values.columns[at++] - firsts[k], bucket_bytes);
      }
    }
  }

 private:
  void put(std::uint32_t number, std::size_t bytes) {
    const auto* const from = reinterpret_cast<const std::byte*>(&number);
    packed_.insert(packed_.end(), from, from + bytes);
  }
  template <std::size_t Bytes>
  void put_codes(const RunBlock& block, const RunValues& values) {
    const auto firsts = first_columns(block);
    const std::size_t before = packed_.size();
    packed_.resize(before + values.columns.size() * Bytes);
    std::byte* to = packed_.data() + before;
    for (std::size_t at = 0; at < values.columns.size(); at += num_splits) {
      for (std::uint32_t k = 0; k < num_splits; ++k, to += Bytes) {
        const std::uint32_t bucket = values.columns[at + k] - firsts[k];
        std::memcpy(to, &bucket, Bytes);
      }
    }
  }
  // LEB128: seven bits a byte, the lowest first; the top bit says that more follow.
  void put_count(std::uint64_t count) {
    for (; count >= 0x80; count >>= 7) packed_.push_back(static_cast<std::byte>(count | 0x80));
    packed_.push_back(static_cast<std::byte>(count));
  }
  // A bit for each value, set if it has four columns.
  void put_marks(const RunBlock& block, const RunValues& values) {
    const std::size_t first = packed_.size();
    packed_.resize(first + (values.count + 7) / 8);
    std::size_t at = 0;
    for (std::size_t value = 0; at < values.columns.size(); ++value) {
      const bool is_single = block.is_single(values.columns[at]);
      if (!is_single) packed_[first + value / 8] |= std::byte{1} << (value % 8);
      at += is_single ? 1 : num_splits;
    }
  }

  std::vector<std::byte>& packed_;
};

/// Reads a packed run, trusting none of its bytes. Every member that reads returns false where they do not fit.
class Unpacker {
 public:
  Unpacker(std::span<const std::byte> packed, std::vector<std::uint32_t>& columns) noexcept
      : left_(packed), columns_(columns) {}

  bool add(const RunBlock& block) {
    std::uint64_t count = 0;
    if (!take_count(count)) return false;
    if (block.is_mixed) return add_mixed(block, count / 2, count % 2 != 0);
    return block.width == 0 ? add_singles(block, count) : add_codes(block, count);
  }
  bool is_at_end() const noexcept { return left_.empty(); }

 private:
  bool take_count(std::uint64_t& count) {
    count = 0;
    for (unsigned shift = 0; shift < 64 && !left_.empty(); shift += 7) {
      const auto byte = std::to_integer<std::uint64_t>(left_.front());
      left_ = left_.subspan(1);
      count |= (byte & 0x7F) << shift;
      // A count has one form: its last byte is not 0.
      if (byte < 0x80) return (byte != 0 || shift == 0) && count >> shift == byte;
    }
    return false;
  }

  bool take(std::uint64_t count, std::size_t bytes, const std::byte*& from) {
    if (count > left_.size() / bytes) return false;
    from = left_.data();
    left_ = left_.subspan(count * bytes);
    return true;
  }
  std::uint32_t* make_room(std::size_t count) {
    columns_.resize(columns_.size() + count);
    return columns_.data() + columns_.size() - count;
  }

  bool add_codes(const RunBlock& block, std::uint64_t count) {
    return with_bytes(bytes_below(block.width), [&](auto bytes) {
      const std::byte* from = nullptr;
      if (!take(count, num_splits * bytes, from)) return false;
      return codes_to_columns<bytes>(from, count, block, make_room(count * num_splits));
    });
  }
  bool add_singles(const RunBlock& block, std::uint64_t count) {
    return with_bytes(bytes_below(block.singles), [&](auto bytes) {
      const std::byte* from = nullptr;
      if (!take(count, bytes, from)) return false;
      std::uint32_t* to = make_room(count);
      bool fit = true;
      for (std::uint64_t value = 0; value < count; ++value, from += bytes) {
        const std::uint32_t column = load<bytes>(from);
        fit &= column < block.singles;
        *to++ = block.first_column + column;
      }
      return fit;
    });
  }
  bool add_mixed(const RunBlock& block, std::uint64_t count, bool has_codes) {
    if (!has_codes) return add_singles(block, count);
    const std::byte* marks = nullptr;
    if (count > left_.size() || !take((count + 7) / 8, 1, marks)) return false;
    std::uint64_t num_codes = 0;
    for (std::uint64_t value = 0; value < count; ++value) {
      const bool is_code = (marks[value / 8] >> (value % 8) & std::byte{1}) != std::byte{0};
      if (!(is_code ? add_codes(block, 1) : add_singles(block, 1))) return false;
      num_codes += is_code ? 1 : 0;
    }
    // A run has one form: no marks where no value has four columns, and none behind the last value.
    const bool ends_clean = count % 8 == 0 || marks[count / 8] >> (count % 8) == std::byte{0};
    return num_codes > 0 && ends_clean;
  }

  std::span<const std::byte> left_;
  std::vector<std::uint32_t>& columns_;
};

}  // namespace

std::string run_problem(const CodeLayout& layout, std::span<const std::uint32_t> columns) {
  return for_each_block(layout, columns, [](const RunBlock&, const RunValues&) {});
}

void pack_run(const CodeLayout& layout, std::span<const std::uint32_t> columns,
              std::vector<std::byte>& packed) {
  Packer packer(packed);
  const std::string problem = for_each_block(
      layout, columns, [&](const RunBlock& block, const RunValues& values) { packer.add(block, values); });
  if (!problem.empty()) throw ShapeError(problem);
}

bool unpack_run(const CodeLayout& layout, std::span<const std::byte> packed,
                std::vector<std::uint32_t>& columns) {
  const std::size_t before = columns.size();
  Unpacker unpacker(packed, columns);
  const bool fits = std::ranges::all_of(layout.ragged_blocks, [&](std::uint32_t position) {
    return unpacker.add(RunBlock(layout.blocks[position]));
  });
  if (fits && unpacker.is_at_end()) return true;
  columns.resize(before);
  return false;
}

}  // namespace widehash::detail
