#pragma once

/// \file
/// A column of typed values in memory, read as the texts that are hashed (canonical_text.hpp): what an ETL
/// job, a data frame or a record batch holds. A missing value reads as the empty text.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// Room for texts that have to be made, such as the digits of numbers. They stay where they are until
/// clear().
class TextRoom {
 public:
  /// Where `bytes` can be written, any number; keep() says how many of them were.
  char* begin(std::size_t bytes);
  /// The text from begin()'s answer to `end`.
  std::string_view keep(const char* end) noexcept;
  /// Forgets the texts and keeps the memory.
  void clear() noexcept;

 private:
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::size_t used_chunks_ = 0;
  std::vector<std::unique_ptr<char[]>> large_;  // of a text each
  char* free_ = nullptr;
  char* end_ = nullptr;
};

/// Which values are there, as a bitmap of Arrow: bit `offset + i`, least significant first, is 1 where value
/// i is. Without bits all are.
struct Validity {
  const std::uint8_t* bits = nullptr;
  std::size_t offset = 0;

  bool has(std::size_t i) const noexcept {
    return bits == nullptr || (bits[(offset + i) / 8] >> ((offset + i) % 8) & 1) != 0;
  }
};

/// Immutable, shared by threads.
class ValueColumn {
 public:
  virtual ~ValueColumn() = default;

  std::size_t num_rows() const noexcept { return num_rows_; }
  /// texts[i * stride] = the text of row begin + i, for i < count. It lies in the memory that the column
  /// looks at, or in `room`. Requires begin + count <= num_rows(). Cost: O(count + bytes of the texts that
  /// are made).
  virtual void read(std::size_t begin, std::size_t count, std::string_view* texts, std::size_t stride,
                    TextRoom& room) const = 0;

  /// The texts that rows are taken from, where the column holds them apart; empty for others.
  virtual std::span<const std::string_view> dictionary() const noexcept { return {}; }
  /// indices[i] = which text of dictionary() that of row begin + i is, dictionary().size() where it is
  /// missing. Requires a dictionary that is not empty, and begin + count <= num_rows().
  virtual void read_indices(std::size_t begin, std::size_t count, std::uint32_t* indices) const;

  /// Throws ConfigError where nothing in the column can be read, since values of its type have no text: for
  /// whoever wants to know before the first row.
  virtual void require_readable() const {}

  /// Whether rows hold any number of values each, so that there is no text for read(), which then throws
  /// ConfigError.
  virtual bool is_list() const noexcept { return false; }
  /// As read(), for a list: the values of each row as value_list.hpp writes them.
  virtual void read_lists(std::size_t begin, std::size_t count, std::string_view* lists, std::size_t stride,
                          TextRoom& room) const;

 protected:
  explicit ValueColumn(std::size_t num_rows) noexcept : num_rows_(num_rows) {}

 private:
  std::size_t num_rows_;
};

/// The columns below look at memory of the caller's, which must outlive them.
using ValueColumnPointer = std::shared_ptr<const ValueColumn>;

/// Integers of 8 to 64 bits, Half (canonical_text.hpp), float and double; NaN is a missing value.
template <class Number>
ValueColumnPointer number_column(std::span<const Number> values, Validity validity = {});

/// A byte a value, not 0 for true.
ValueColumnPointer boolean_column(std::span<const std::uint8_t> values, Validity validity = {});
/// A bit a value, found as those of Validity are.
ValueColumnPointer bit_column(const std::uint8_t* bits, std::size_t bit_offset, std::size_t num_rows,
                              Validity validity = {});

ValueColumnPointer text_column(std::span<const std::string_view> values);
/// Value i is bytes [offsets[i], offsets[i + 1]) of `bytes`. Throws ShapeError where offsets fall or pass the
/// end. Offset is int32_t or int64_t.
template <class Offset>
ValueColumnPointer text_column(std::span<const Offset> offsets, std::string_view bytes,
                               Validity validity = {});

/// Value i is value indices[i] of `dictionary`, missing where indices[i] is below 0; Index is an integer of 8
/// to 64 bits. The texts of the dictionary are made once. Throws ShapeError where an index that is there
/// passes the dictionary, and for a null pointer.
template <class Index>
ValueColumnPointer dictionary_column(std::span<const Index> indices, ValueColumnPointer dictionary,
                                     Validity validity = {});

/// Row i holds values [offsets[i], offsets[i + 1]) of `values`: those of a multi-valued feature. A list that
/// is missing is as good as one without values. Throws ShapeError where offsets fall or pass the end, and
/// where the values are lists themselves, or none: a null pointer.
ValueColumnPointer list_column(std::vector<std::uint64_t> offsets, ValueColumnPointer values,
                               Validity validity = {});

/// Missing values only.
ValueColumnPointer missing_column(std::size_t num_rows);

/// Values of a `type` that has no text. There may be such columns where nobody asks for them: only reading
/// one, and require_readable(), throw ConfigError, which says "column 'when' has `type`, ..." and what to do:
/// `remedy`, or where that is empty to make texts of them.
ValueColumnPointer unreadable_column(std::size_t num_rows, std::string name, std::string type,
                                     std::string remedy = {});

}  // namespace widehash
