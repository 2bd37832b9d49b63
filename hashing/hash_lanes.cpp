#include <widehash/internal/hash_lanes.hpp>

namespace widehash {

void HashLanes::reshape(std::size_t num_rows, std::size_t values_per_row) {
  stride_ = whole_groups(values_per_row);
  values_.assign(num_rows * stride_, {});
  hashes_.resize(values_.size());
}

void HashLanes::blank(std::string_view text) noexcept {
  for (std::string_view& value : values_) {
    if (value == text) value = {};
  }
}

void HashLanes::hash_xxh64(std::uint64_t seed) noexcept {
  const ValueRows all{.values = values_.data(), .num_rows = 1, .values_per_row = values_.size()};
  widehash::hash_xxh64(all, seed, hashes_, hashes_.size());
}

}  // namespace widehash
