#include "table_codes.hpp"

#include <algorithm>

namespace widehash::detail {

TableCodes::TableCodes(std::uint32_t width, bool is_wide) : width_(width) {
  if (is_wide) return;
  std::array<std::uint32_t, group> widths{};
  widths.fill(width);
  reducer_.emplace(widths);
}

std::span<const Buckets> TableCodes::of(std::span<const std::uint64_t> high,
                                        std::span<const std::uint64_t> low) {
  if (reducer_) {
    std::copy(high.begin(), high.end(), hashes_.begin());
    reducer_->reduce(hashes_.data(), group, (high.size() + group - 1) / group, buckets_.data(),
                     group * num_splits);
    for (std::size_t i = 0; i < high.size(); ++i)
      std::copy_n(&buckets_[i * num_splits], num_splits, codes_[i].begin());
  } else {
    for (std::size_t i = 0; i < high.size(); ++i) codes_[i] = four_split(Hash128{high[i], low[i]}, width_);
  }
  return std::span(codes_).first(high.size());
}

}  // namespace widehash::detail
