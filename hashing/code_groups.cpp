#include "code_groups.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace widehash::detail {
namespace {

/// Sorts the groups by code and merges groups of equal code.
void combine(std::vector<CodeGroup>& groups) {
  std::sort(groups.begin(), groups.end(),
            [](const CodeGroup& a, const CodeGroup& b) { return a.code < b.code; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (kept > 0 && groups[kept - 1].code == groups[i].code) {
      groups[kept - 1].num_values += groups[i].num_values;
      groups[kept - 1].total_count += groups[i].total_count;
    } else {
      groups[kept++] = groups[i];
    }
  }
  groups.resize(kept);
}

}  // namespace

void for_each_code_group(std::uint64_t num_values, std::uint64_t memory_bytes,
                         const std::function<CodeGroup(std::uint64_t)>& value_at,
                         const std::function<void(const CodeGroup&)>& consume) {
  const auto capacity = static_cast<std::size_t>(
      std::min<std::uint64_t>(std::max<std::uint64_t>(memory_bytes, 64 << 10) / sizeof(CodeGroup),
                              std::max<std::uint64_t>(num_values, 1)));
  constexpr std::uint32_t top = std::numeric_limits<std::uint32_t>::max();
  constexpr Buckets last_code = {top, top, top, top};

  std::vector<CodeGroup> groups;
  groups.reserve(capacity);
  Buckets done{};  // codes up to here have been consumed, once there was a pass
  bool first_pass = true;
  while (true) {
    // A pass collects the codes in (done, limit]. When memory is full of distinct codes, the upper half is
    // left to later passes. Every dropped code lies above the new limit, so no code is ever counted in part.
    Buckets limit = last_code;
    for (std::uint64_t i = 0; i < num_values; ++i) {
      const CodeGroup value = value_at(i);
      if ((!first_pass && value.code <= done) || value.code > limit) continue;
      if (groups.size() == capacity) {
        combine(groups);
        if (groups.size() > capacity / 2) {
          groups.resize((groups.size() + 1) / 2);
          limit = groups.back().code;
          if (value.code > limit) continue;
        }
      }
      groups.push_back(value);
    }
    combine(groups);
    for (const CodeGroup& group : groups) consume(group);
    if (limit == last_code) return;
    done = limit;
    first_pass = false;
    groups.clear();
  }
}

}  // namespace widehash::detail
