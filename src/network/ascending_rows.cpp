#include "ascending_rows.hpp"

#include <widehash/error.hpp>

#include <limits>

#include <fmt/format.h>
#include <hwy/contrib/sort/vqsort.h>

namespace widehash {

void require_same_rows(std::span<const float> scores, std::span<const float> targets,
                       std::span<const float> weights) {
  if (scores.size() != targets.size() || (!weights.empty() && weights.size() != scores.size())) {
    throw ShapeError(fmt::format("ranking: {} scores, {} targets and {} weights", scores.size(),
                                 targets.size(), weights.size()));
  }
}

std::vector<std::uint64_t> ascending_rows(std::span<const float> scores) {
  if (scores.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw ShapeError(
        fmt::format("ranking: {} rows are too many to sort; count them in groups", scores.size()));
  }
  std::vector<std::uint64_t> rows(scores.size());
  for (std::size_t row = 0; row < rows.size(); ++row)
    rows[row] = std::uint64_t{ordered_bits(scores[row])} << 32 | row;
  hwy::Sorter()(rows.data(), rows.size(), hwy::SortAscending());
  return rows;
}

}  // namespace widehash
