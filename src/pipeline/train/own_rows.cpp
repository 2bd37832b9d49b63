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

/// Size and sample of an input.
using Content = std::pair<std::uint64_t, std::uint64_t>;

bool is_known(const ManifestInput& input) noexcept {
  return input.sample != 0 && input.size_bytes > 0 && input.rows > 0;
}

/// The inputs of datasets, and which of their rows each dataset has.
class KnownInputs {
 public:
  void add(const Manifest& manifest) {
    for (const ManifestInput& input : manifest.inputs) {
      if (is_known(input)) folds_.emplace(Content(input.size_bytes, input.sample), manifest.folds);
    }
  }

  /// Returns the first input of a dataset that shares rows with the inputs added before; "" where none does.
  std::string shared_with(const Manifest& manifest) const {
    for (const ManifestInput& input : manifest.inputs) {
      if (!is_known(input)) continue;
      const auto [begin, end] = folds_.equal_range({input.size_bytes, input.sample});
      if (std::any_of(begin, end,
                      [&](const auto& entry) { return share_rows(entry.second, manifest.folds); }))
        return input.path;
    }
    return {};
  }

 private:
  std::multimap<Content, Folds> folds_;
};

}  // namespace

std::string rows_in_both(const std::vector<std::string>& trained, const std::vector<std::string>& judged) {
  KnownInputs inputs;
  for (const std::string& directory : trained) {
    for (const std::string& other : judged) {
      std::error_code ignored;
      if (std::filesystem::equivalent(directory, other, ignored)) return other;
    }
    inputs.add(load_manifest(directory));
  }
  for (const std::string& directory : judged) {
    if (std::string shared = inputs.shared_with(load_manifest(directory)); !shared.empty()) return shared;
  }
  return {};
}

std::string rows_in_two(const std::vector<std::string>& datasets) {
  KnownInputs inputs;
  if (datasets.size() < 2) return {};
  for (const std::string& directory : datasets) {
    const Manifest manifest = load_manifest(directory);
    if (std::string shared = inputs.shared_with(manifest); !shared.empty()) return shared;
    inputs.add(manifest);
  }
  return {};
}

}  // namespace widehash
