#include "row_values.hpp"

#include <algorithm>
#include <cstring>

namespace widehash {

namespace {

constexpr std::size_t chunk_bytes = std::size_t{64} << 10;

}  // namespace

std::uint64_t ValueNumbers::num_bytes() const noexcept {
  constexpr std::uint64_t entry_bytes = 64;  // approximately, for slots, hash and view while they grow
  std::uint64_t bytes = values_.size() * entry_bytes;
  for (const std::string_view value : values_) bytes += value.size();
  return bytes;
}

char* ValueNumbers::room(std::size_t bytes) {
  if (bytes > chunk_bytes / 4)
    return long_texts_.emplace_back(std::make_unique_for_overwrite<char[]>(bytes)).get();
  if (bytes > left_) {
    if (used_chunks_ == chunks_.size())
      chunks_.push_back(std::make_unique_for_overwrite<char[]>(chunk_bytes));
    ++used_chunks_;
    left_ = chunk_bytes;
  }
  char* const begin = chunks_[used_chunks_ - 1].get() + (chunk_bytes - left_);
  left_ -= bytes;
  return begin;
}

std::uint32_t ValueNumbers::add(std::string_view value, std::uint64_t hash, std::size_t place) {
  const auto number = static_cast<std::uint32_t>(values_.size());
  char* const text = value.empty() ? nullptr : room(value.size());
  if (!value.empty()) std::memcpy(text, value.data(), value.size());
  values_.emplace_back(text, value.size());
  hashes_.push_back(hash);
  slots_[place] = number + 1;
  if (values_.size() * 2 <= slots_.size()) return number;
  std::vector<std::uint32_t> larger(slots_.size() * 2, 0);
  const std::size_t mask = larger.size() - 1;
  for (std::size_t i = 0; i < hashes_.size(); ++i) {
    std::size_t at = hashes_[i] & mask;
    while (larger[at] != 0) at = (at + 1) & mask;
    larger[at] = static_cast<std::uint32_t>(i + 1);
  }
  slots_.swap(larger);
  return number;
}

void ValueNumbers::clear() noexcept {
  if (!values_.empty()) std::ranges::fill(slots_, 0);
  values_.clear();
  hashes_.clear();
  long_texts_.clear();
  used_chunks_ = 0;
  left_ = 0;
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
