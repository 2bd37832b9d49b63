#include "label_sample.hpp"

#include "encode/target_parser.hpp"

#include <widehash/code.hpp>
#include <widehash/internal/missing_markers.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace widehash {
namespace {

constexpr std::uint32_t no_group = std::numeric_limits<std::uint32_t>::max();
/// A field with more distinct numbers is grouped by quantiles, a label with more by deciles.
constexpr double most_kinds_of_numbers = 64;
constexpr double most_classes_of_numbers = 20;
constexpr std::size_t quantiles_of_numbers = 64;
constexpr std::size_t quantiles_of_labels = 10;
/// Fewest judged rows with a label other than the most frequent one; fewer would allow chance findings.
constexpr std::uint64_t fewest_others = 20;

/// Rows of each label in one half of a sample.
class LabelCounts {
 public:
  explicit LabelCounts(std::size_t num_labels) : rows_(num_labels) {}

  void add(std::uint32_t label) {
    ++rows_[label];
    ++total_;
  }
  std::uint64_t others() const { return total_ - (rows_.empty() ? 0 : std::ranges::max(rows_)); }
  /// Smoothed by half a row of each label, so that no label is impossible.
  double probability(std::uint32_t label) const {
    return (static_cast<double>(rows_[label]) + 0.5) /
           (static_cast<double>(total_) + 0.5 * static_cast<double>(rows_.size()));
  }

 private:
  std::vector<std::uint64_t> rows_;
  std::uint64_t total_ = 0;
};

std::size_t count_of(const std::vector<std::uint32_t>& groups) {
  std::uint32_t most = 0;
  for (const std::uint32_t group : groups)
    if (group != no_group) most = std::max(most, group + 1);
  return most;
}

/// Divides the sample into a half to learn from and a half to judge. By a hash of the position, so that rows in a
/// regular order, such as labels that alternate, do not end up in one half.
bool teaches(std::size_t row) { return (row * 0x9E3779B97F4A7C15 >> 40) % 2 == 0; }

/// Learns from one half of the rows and judges the other.
double explained_by(const std::vector<std::uint32_t>& groups, const std::vector<std::uint32_t>& labels,
                    const LabelCounts& taught) {
  const std::uint64_t num_labels = count_of(labels);
  std::vector<std::uint64_t> pairs;  // of group and label, one for each row that teaches
  std::vector<std::uint32_t> rows(count_of(groups));
  for (std::size_t row = 0; row < groups.size(); ++row) {
    if (labels[row] == no_group || !teaches(row)) continue;
    pairs.push_back(groups[row] * num_labels + labels[row]);
    ++rows[groups[row]];
  }
  std::ranges::sort(pairs);
  double unknowing = 0;
  double knowing = 0;
  for (std::size_t row = 0; row < groups.size(); ++row) {
    if (labels[row] == no_group || teaches(row)) continue;
    const double before = taught.probability(labels[row]);
    const auto [first, last] =
        std::equal_range(pairs.begin(), pairs.end(), groups[row] * num_labels + labels[row]);
    unknowing -= std::log(before);
    // Smoothed, as if the group had one more row with the overall shares of labels.
    knowing -= std::log((static_cast<double>(last - first) + before) / (rows[groups[row]] + 1.0));
  }
  return unknowing > 0 ? std::max(0.0, 1 - knowing / unknowing) : 0;
}

}  // namespace

LabelSample::LabelSample(std::size_t num_fields, std::size_t max_cells)
    : max_rows_(std::max<std::size_t>(max_cells / std::max<std::size_t>(num_fields, 1), 2)),
      cells_(num_fields) {}

std::span<const std::size_t> LabelSample::choose(std::size_t count) {
  const auto first = [&] { return (stride_ - rows_seen_ % stride_) % stride_; };
  const auto wanted = [&] { return first() < count ? (count - first() - 1) / stride_ + 1 : 0; };
  while (num_rows_ + wanted() > max_rows_) halve();
  chosen_.clear();
  for (std::size_t at = first(); at < count; at += stride_) chosen_.push_back(at);
  rows_seen_ += count;
  num_rows_ += chosen_.size();
  return chosen_;
}

void LabelSample::halve() {
  for (std::vector<Cell>& cells : cells_) {
    const std::size_t kept = (cells.size() + 1) / 2;
    for (std::size_t row = 0; row < kept; ++row) cells[row] = cells[2 * row];
    cells.resize(kept);
  }
  num_rows_ = (num_rows_ + 1) / 2;
  stride_ *= 2;
}

void LabelSample::add(std::size_t field, std::string_view value) {
  const auto number = is_missing_marker(value) ? std::nullopt : parse_number(value);
  cells_[field].push_back({hash_xxh64(value), number.value_or(std::numeric_limits<double>::quiet_NaN())});
}

LabelSample::Groups LabelSample::kinds_of(const std::vector<Cell>& cells) {
  std::unordered_map<std::uint64_t, std::uint32_t> known;
  Groups groups;
  groups.reserve(cells.size());
  for (const Cell& cell : cells)
    groups.push_back(known.try_emplace(cell.hash, static_cast<std::uint32_t>(known.size())).first->second);
  return groups;
}

/// Values that are not numbers form a group of their own.
LabelSample::Groups LabelSample::quantiles_of(const std::vector<Cell>& cells, std::size_t count) {
  std::vector<double> numbers;
  for (const Cell& cell : cells)
    if (!std::isnan(cell.number)) numbers.push_back(cell.number);
  std::ranges::sort(numbers);
  std::vector<double> bounds;  // the largest number of each group but the last
  for (std::size_t i = 1; i < count && !numbers.empty(); ++i)
    bounds.push_back(numbers[i * numbers.size() / count]);
  bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
  Groups groups;
  groups.reserve(cells.size());
  for (const Cell& cell : cells) {
    const auto at = std::ranges::lower_bound(bounds, cell.number) - bounds.begin();
    groups.push_back(static_cast<std::uint32_t>(std::isnan(cell.number) ? bounds.size() + 1 : at));
  }
  return groups;
}

LabelSample::Groups LabelSample::labels_of(const FieldCensus& census, const std::vector<Cell>& cells) {
  const bool is_number = census.holds_numbers();
  const bool is_amount = is_number && census.report().distinct > most_classes_of_numbers;
  Groups labels = is_amount ? quantiles_of(cells, quantiles_of_labels) : kinds_of(cells);
  std::vector<std::uint64_t> missing{hash_xxh64("")};
  for (const std::string_view marker : missing_markers) missing.push_back(hash_xxh64(marker));
  for (std::size_t row = 0; row < cells.size(); ++row) {
    const bool is_missing = is_number ? std::isnan(cells[row].number)
                                      : std::ranges::find(missing, cells[row].hash) != missing.end();
    if (is_missing) labels[row] = no_group;
  }
  return labels;
}

std::vector<std::optional<double>> LabelSample::explained(std::span<const FieldCensus* const> census,
                                                          std::size_t label) const {
  std::vector<std::optional<double>> shares(cells_.size());
  if (cells_[label].size() != num_rows_) return shares;
  const Groups labels = labels_of(*census[label], cells_[label]);
  LabelCounts taught(count_of(labels));
  LabelCounts judged(count_of(labels));
  for (std::size_t row = 0; row < labels.size(); ++row)
    if (labels[row] != no_group) (teaches(row) ? taught : judged).add(labels[row]);
  if (judged.others() < fewest_others) return shares;
  parallel_for(cells_.size(), [&](std::size_t field) {
    if (field == label || cells_[field].size() != num_rows_) return;
    const bool has_sizes =
        census[field]->holds_numbers() && census[field]->report().distinct > most_kinds_of_numbers;
    const Groups groups =
        has_sizes ? quantiles_of(cells_[field], quantiles_of_numbers) : kinds_of(cells_[field]);
    shares[field] = explained_by(groups, labels, taught);
  });
  return shares;
}

}  // namespace widehash
