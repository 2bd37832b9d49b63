#include "number_sample.hpp"

#include <algorithm>

namespace widehash {

void NumberSample::keep(std::uint64_t place, double number) {
  if (kept_.size() == capacity) {
    last_place_ /= 2;
    std::erase_if(kept_, [&](const Kept& kept) { return kept.place > last_place_; });
    if (place > last_place_) return;
  }
  kept_.push_back({place, number});
}

std::vector<double> NumberSample::boundaries(std::size_t intervals) const {
  std::vector<double> numbers;
  for (const Kept& kept : kept_) numbers.push_back(kept.number);
  std::ranges::sort(numbers);
  std::vector<double> cuts;
  std::size_t begin = 0;  // of the current interval
  for (std::size_t at = 1; at < numbers.size() && cuts.size() + 1 < intervals; ++at) {
    const std::size_t intervals_left = intervals - cuts.size();
    const std::size_t rows_left = numbers.size() - begin;
    if (numbers[at] == numbers[at - 1] || (at - begin) * intervals_left < rows_left) continue;
    cuts.push_back(numbers[at]);
    begin = at;
  }
  return cuts;
}

}  // namespace widehash
