#include "own_rows.hpp"

#include <widehash/folds.hpp>
#include <widehash/manifest.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

namespace widehash {
namespace {

bool overlap(const FoldRange& a, const FoldRange& b) noexcept {
  return a.first <= b.last && b.first <= a.last;
}

bool share_rows(const Folds& a, const Folds& b) {
  if (a.count != b.count || a.by != b.by || a.take_all()) return true;
  return std::ranges::any_of(a.taken, [&](const FoldRange& one) {
    return std::ranges::any_of(b.taken, [&](const FoldRange& other) { return overlap(one, other); });
  });
}

/// Size and sample.
using Content = std::pair<std::uint64_t, std::uint64_t>;

bool is_known(const ManifestInput& input) noexcept {
  return input.sample != 0 && input.size_bytes > 0 && input.rows > 0;
}

}  // namespace

std::string rows_in_both(const std::vector<std::string>& trained, const std::vector<std::string>& judged) {
  std::multimap<Content, Folds> inputs;
  for (const std::string& directory : trained) {
    for (const std::string& other : judged) {
      std::error_code ignored;
      if (std::filesystem::equivalent(directory, other, ignored)) return other;
    }
    const Manifest manifest = load_manifest(directory);
    for (const ManifestInput& input : manifest.inputs) {
      if (is_known(input)) inputs.emplace(Content(input.size_bytes, input.sample), manifest.folds);
    }
  }
  for (const std::string& directory : judged) {
    const Manifest manifest = load_manifest(directory);
    for (const ManifestInput& input : manifest.inputs) {
      if (!is_known(input)) continue;
      const auto [begin, end] = inputs.equal_range({input.size_bytes, input.sample});
      const bool is_shared = std::any_of(
          begin, end, [&](const auto& entry) { return share_rows(entry.second, manifest.folds); });
      if (is_shared) return input.path;
    }
  }
  return {};
}

}  // namespace widehash
