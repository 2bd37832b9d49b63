#include "kept_text.hpp"

#include <fmt/format.h>

namespace widehash {

/// A time that cannot be read is shown as it is written.
void KeptText::append_part(std::string_view value, TimePart part, const TimeFormat& format) {
  const auto time = part == TimePart::none ? std::nullopt : format.parse(value);
  if (time)
    text_ += fmt::to_string(part_of(*time, part));
  else
    append_escaped(text_, value);
}

std::vector<std::string_view> KeptText::lines(std::uint64_t num_rows, std::span<const RejectedRow> rejected,
                                              std::size_t num_fields) {
  empty_.assign(num_fields, '\t');
  std::vector<std::string_view> lines;
  lines.reserve(num_rows);
  const std::string_view text = text_;
  auto bad = rejected.begin();
  std::size_t begin = 0;
  auto end = ends_.begin();
  for (std::uint64_t row = 0; row < num_rows; ++row) {
    const bool is_bad = bad != rejected.end() && bad->row == row;
    if (is_bad && !(bad++)->has_fields) {
      lines.emplace_back(empty_);
      continue;
    }
    lines.push_back(text.substr(begin, *end - begin));
    begin = *end++;
  }
  return lines;
}

}  // namespace widehash
