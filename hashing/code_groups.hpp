#pragma once

/// \file
/// Exact grouping of values by whole code in bounded memory.

#include <widehash/code.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace widehash::detail {

/// All values with the same code.
struct CodeGroup {
  Buckets code{};
  std::uint64_t num_values = 0;
  std::uint64_t total_count = 0;  // sum of their counts
};

/// Calls consume(group) for every code among `num_values` values, in ascending order of code. `value_at(i)`
/// returns value i as a group of its own. Memory: at most `memory_bytes` (at least 64 KiB). Cost: O(n log n),
/// and one pass over all values for each set of distinct codes that fits memory.
void for_each_code_group(std::uint64_t num_values, std::uint64_t memory_bytes,
                         const std::function<CodeGroup(std::uint64_t)>& value_at,
                         const std::function<void(const CodeGroup&)>& consume);

}  // namespace widehash::detail
