#include "input_tally.hpp"

#include <widehash/error.hpp>

#include <fmt/format.h>

namespace widehash {

void InputTally::settle(const BlockCounts& block, std::vector<RejectedRow>& rejected) {
  for (RejectedRow& row : rejected) row.line += block.header_lines + lines_[block.input] + 1;
  lines_[block.input] += block.num_lines;
  rows_counted_[block.input] += block.rows_counted;
  rows_read_[block.input] += block.rows_read;
}

void InputTally::require_all_rows(const std::vector<Input>& inputs, std::string_view consequence) const {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (rows_read_[i] == rows_counted_[i]) continue;
    throw DataError(
        inputs[i].path, 0,
        fmt::format("{} rows were read, but its bytes hold {}; {}: unless the journal of an earlier "
                    "run was altered, this is a bug in widehash, please report it with the file",
                    rows_read_[i], rows_counted_[i], consequence));
  }
}

std::uint64_t bytes_on_disk(const std::vector<Input>& inputs) noexcept {
  std::uint64_t total = 0;
  for (const Input& input : inputs) {
    if (input.is_stream) return 0;
    total += input.size_bytes;
  }
  return total;
}

}  // namespace widehash
