#include <widehash/internal/ascii.hpp>
#include <widehash/internal/suggest.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace widehash {
namespace {

std::string folded(std::string_view word) {
  std::string result = detail::to_ascii_lower(word);
  for (char& c : result) {
    if (c == '-') c = '_';
  }
  return result;
}

/// Optimal string alignment distance. Keeps only three rows of the usual table.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_above(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_above.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], two_above[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string_view> candidates) {
  constexpr std::size_t longest = 100;  // longer words are data, not typing mistakes
  if (word.empty() || word.size() > longest) return {};
  const std::string wanted = folded(word);
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::string_view found;
  for (const auto candidate : candidates) {
    if (candidate.size() > longest) continue;
    const std::size_t distance = edits(wanted, folded(candidate));
    // If every letter of the candidate would need an edit, it is another word, not a typing mistake.
    if (distance < best && distance < candidate.size()) {
      best = distance;
      found = candidate;
    }
  }
  return std::string(found);
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  const std::string found = nearest(word, candidates);
  return found.empty() ? found : "; did you mean '" + found + "'?";
}

}  // namespace widehash
