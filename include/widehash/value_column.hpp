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

/// Memory for texts that have to be made, such as the digits of numbers. Texts stay where they are until
/// clear().
class TextRoom {
 public:
  /// Returns memory for any number of `bytes`; keep() says how many of them were written.
  char* begin(std::size_t bytes);
  /// The text from what begin() returned to `end`.
  std::string_view keep(const char* end) noexcept;
  /// Discards the texts and keeps the memory.
  void clear() noexcept;

 private:
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::size_t used_chunks_ = 0;
  std::vector<std::unique_ptr<char[]>> large_;  // of one text each
  char* free_ = nullptr;
  char* end_ = nullptr;
};

/// Which values are present, as an Arrow bitmap: bit `offset + i`, least significant first, is 1 if value i
/// is present. Without `bits` all values are.
struct Validity {
  const std::uint8_t* bits = nullptr;
  std::size_t offset = 0;

  bool has(std::size_t i) const noexcept {
    return bits == nullptr || (bits[(offset + i) / 8] >> ((offset + i) % 8) & 1) != 0;
  }
};

/// Immutable; may be shared by threads.
class ValueColumn {
 public:
  virtual ~ValueColumn() = default;

  std::size_t num_rows() const noexcept { return num_rows_; }
  /// Sets texts[i * stride] to the text of row begin + i, for i < count. The text lies in memory that the
  /// column refers to, or in `room`. Requires begin + count <= num_rows(). Cost: O(count + bytes of the texts
  /// that are made).
  virtual void read(std::size_t begin, std::size_t count, std::string_view* texts, std::size_t stride,
                    TextRoom& room) const = 0;

  /// The texts that the rows' indices refer to, if the column holds a dictionary; empty otherwise.
  virtual std::span<const std::string_view> dictionary() const noexcept { return {}; }
  /// Sets indices[i] to the position in dictionary() of the text of row begin + i, or to dictionary().size()
  /// if it is missing. Requires a dictionary that is not empty, and begin + count <= num_rows().
  virtual void read_indices(std::size_t begin, std::size_t count, std::uint32_t* indices) const;

  /// Throws ConfigError if nothing in the column can be read because values of its type have no text. For
  /// callers that want to know before the first row.
  virtual void require_readable() const {}

  /// Whether each row holds any number of values. Then there is no single text per row, and read() throws
  /// ConfigError.
  virtual bool is_list() const noexcept { return false; }
  /// Like read(), for a list: the values of each row in the form of value_list.hpp.
  virtual void read_lists(std::size_t begin, std::size_t count, std::string_view* lists, std::size_t stride,
                          TextRoom& room) const;

 protected:
  explicit ValueColumn(std::size_t num_rows) noexcept : num_rows_(num_rows) {}

 private:
  std::size_t num_rows_;
};

/// The columns below refer to memory of the caller, which must outlive them.
using ValueColumnPointer = std::shared_ptr<const ValueColumn>;

/// Integers of 8 to 64 bits, Half (canonical_text.hpp), float and double. NaN is a missing value.
template <class Number>
ValueColumnPointer number_column(std::span<const Number> values, Validity validity = {});

/// One byte per value; any byte but 0 is true.
ValueColumnPointer boolean_column(std::span<const std::uint8_t> values, Validity validity = {});
/// One bit per value, in the order of Validity.
ValueColumnPointer bit_column(const std::uint8_t* bits, std::size_t bit_offset, std::size_t num_rows,
                              Validity validity = {});

ValueColumnPointer text_column(std::span<const std::string_view> values);
/// Value i is bytes [offsets[i], offsets[i + 1]) of `bytes`. Offset is int32_t or int64_t. Throws ShapeError
/// if offsets decrease or exceed the size of `bytes`.
template <class Offset>
ValueColumnPointer text_column(std::span<const Offset> offsets, std::string_view bytes,
                               Validity validity = {});

/// Value i is value indices[i] of `dictionary`, or missing if indices[i] is below 0. Index is an integer of 8
/// to 64 bits. The texts of the dictionary are made once. Throws ShapeError if the index of a value that is
/// present exceeds the dictionary, and for a null pointer.
template <class Index>
ValueColumnPointer dictionary_column(std::span<const Index> indices, ValueColumnPointer dictionary,
                                     Validity validity = {});

/// Row i holds values [offsets[i], offsets[i + 1]) of `values`, for a multi-valued feature. A missing list is
/// the same as an empty one. Throws ShapeError if offsets decrease or exceed the number of values, and if
/// `values` are lists themselves or a null pointer.
ValueColumnPointer list_column(std::vector<std::uint64_t> offsets, ValueColumnPointer values,
                               Validity validity = {});

/// Missing values only.
ValueColumnPointer missing_column(std::size_t num_rows);

/// Values of a `type` that has no text. Such columns are allowed as long as nobody needs them: only reading
/// one and require_readable() throw ConfigError. Its message says "column 'when' has `type`, ..." and what to
/// do: `remedy`, or, if that is empty, to make texts of the values.
ValueColumnPointer unreadable_column(std::size_t num_rows, std::string name, std::string type,
                                     std::string remedy = {});

}  // namespace widehash
