#include "list_census.hpp"

#include <widehash/code.hpp>

#include <algorithm>

namespace widehash {
namespace {

constexpr double fewest_lists = 0.1;  // share of the values
constexpr double most_of_one_length = 0.9;
constexpr double items_per_list = 0.5;  // distinct items per distinct value, at most
constexpr std::uint64_t fewest_values = 20;

}  // namespace

void ListCensus::add(std::string_view value) {
  ++values_;
  for (std::size_t s = 0; s < separators.size(); ++s) {
    Candidate& candidate = candidates_[s];
    std::size_t end = value.find(separators[s]);
    if (end != std::string_view::npos) {
      ++candidate.lists;
      if (!candidate.items) candidate.items.emplace();
    }
    std::size_t length = 1;
    std::string_view rest = value;
    for (; end != std::string_view::npos; end = rest.find(separators[s]), ++length) {
      candidate.items->add(hash_xxh64(rest.substr(0, end)));
      rest.remove_prefix(end + 1);
    }
    if (candidate.items) candidate.items->add(hash_xxh64(rest));
    ++candidate.of_length[std::min(length, most_lengths) - 1];
  }
}

std::optional<ListCensus::Lists> ListCensus::lists(double distinct) const {
  const auto values = static_cast<double>(values_);
  if (values_ < fewest_values) return std::nullopt;
  for (std::size_t s = 0; s < separators.size(); ++s) {
    const Candidate& candidate = candidates_[s];
    if (static_cast<double>(candidate.lists) < fewest_lists * values) continue;
    const auto commonest = static_cast<double>(std::ranges::max(candidate.of_length));
    const double items = candidate.items->estimate();
    if (commonest <= most_of_one_length * values && items <= items_per_list * distinct)
      return Lists{separators[s], items};
  }
  return std::nullopt;
}

}  // namespace widehash
