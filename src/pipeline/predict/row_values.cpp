#include "row_values.hpp"

namespace widehash {

std::uint64_t ValueNumbers::num_bytes() const noexcept {
  constexpr std::uint64_t entry_bytes = 64;  // approximately, for a node and a view
  std::uint64_t bytes = values_.size() * entry_bytes;
  for (const std::string_view value : values_) bytes += value.size();
  return bytes;
}

void ValueNumbers::clear() noexcept {
  values_.clear();
  numbers_.clear();
}

void RowValues::clear() noexcept {
  for (Field& field : fields_) {
    field.values.clear();
    field.of_row.clear();
  }
}

template <class BadRow, class HasFields>
void RowValues::leave_out(std::span<const BadRow> bad_rows, const HasFields& has_fields) {
  if (bad_rows.empty()) return;
  for (Field& field : fields_) {
    std::size_t num_left = 0;
    std::uint64_t row = 0;  // in the block, counting rows without fields
    auto bad = bad_rows.begin();
    for (const std::uint32_t number : field.of_row) {
      for (; bad != bad_rows.end() && bad->row == row && !has_fields(*bad); ++bad) ++row;
      if (bad != bad_rows.end() && bad->row == row)
        ++bad;
      else
        field.of_row[num_left++] = number;
      ++row;
    }
    field.of_row.resize(num_left);
  }
}

void RowValues::leave_out(std::span<const RejectedRow> rejected) {
  leave_out(rejected, [](const RejectedRow& row) { return row.has_fields; });
}

void RowValues::leave_out(std::span<const EncodeIssue> bad_rows) {
  leave_out(bad_rows, [](const EncodeIssue&) { return true; });
}

std::uint64_t RowValues::num_bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const Field& field : fields_)
    bytes += field.values.num_bytes() + field.of_row.size() * sizeof(std::uint32_t);
  return bytes;
}

}  // namespace widehash
