#include "row_cutter.hpp"

#include "bare_row_cutter.hpp"
#include "quoted_row_cutter.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/row_parser.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace widehash::detail {
namespace {

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

/// Returns the first multiple of `step` past `position`; `never` if it does not fit in 64 bits.
std::uint64_t next_multiple(std::uint64_t position, std::uint64_t step) noexcept {
  const std::uint64_t below = position / step * step;
  return below > never - step ? never : below + step;
}

}  // namespace

RowCutter::RowCutter(Settings settings)
    : position_(settings.begin),
      settings_(std::move(settings)),
      row_begin_{.position = position_},
      next_target_(target_behind(position_)) {}

void RowCutter::finish() {
  if (position_ == row_begin_.position) return;
  ++num_lines_;
  const bool blank = is_blank(position_);
  if (!blank || settings_.blank_lines_are_rows) ++num_rows_;
  if (!blank && seeks_header()) take_header();
}

const RowCut* RowCutter::first_cut_from(std::uint64_t position) {
  while (!cuts_.empty() && cuts_.front().position < position) cuts_.pop_front();
  return cuts_.empty() ? nullptr : &cuts_.front();
}

std::optional<RowCut> RowCutter::take_cut() {
  if (cuts_.empty()) return std::nullopt;
  const RowCut cut = cuts_.front();
  cuts_.pop_front();
  return cut;
}

bool RowCutter::is_blank(std::uint64_t row_end) const noexcept {
  const std::uint64_t bytes = row_end - row_begin_.position;
  return bytes == 0 || (bytes == 1 && last_ == '\r');
}

void RowCutter::take_header() {
  header_found_ = true;
  header_begin_ = row_begin_;
  header_end_ = end();
}

void RowCutter::begin_row() {
  row_begin_ = end();
  if (position_ < next_target_) return;
  cuts_.push_back(row_begin_);
  next_target_ = target_behind(position_);
}

std::uint64_t RowCutter::target_behind(std::uint64_t position) const noexcept {
  const std::uint64_t block_end = next_multiple(position, settings_.block_bytes);
  return settings_.piece_bytes == 0 ? block_end : std::min(block_end, position + settings_.piece_bytes);
}

void RowCutter::check_row_length(std::uint64_t row_end) const {
  if (row_end - row_begin_.position <= max_row_bytes) return;
  throw_at(row_begin_.lines + 1,
           overlong_problem("the row that begins here", settings_.dialect.quote != '\0'));
}

void RowCutter::throw_at(std::uint64_t line, const std::string& problem) const {
  throw DataError(settings_.name, (settings_.lines_before ? settings_.lines_before() : 0) + line, problem);
}

std::unique_ptr<RowCutter> make_row_cutter(RowCutter::Settings settings) {
  if (settings.dialect.quote == '\0') return std::make_unique<BareRowCutter>(std::move(settings));
  return std::make_unique<QuotedRowCutter>(std::move(settings));
}

}  // namespace widehash::detail
