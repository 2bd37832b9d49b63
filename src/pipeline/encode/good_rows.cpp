#include "good_rows.hpp"

#include "row_folds.hpp"

namespace widehash {

template <class Rows>
void GoodRows::take(const RowRules& rules, const Rows& rows, std::size_t num_rows,
                    const FieldBinding& binding, std::size_t first_row, std::span<RunningMoments> moments,
                    std::vector<EncodeIssue>& issues) {
  places_.clear();
  numbers_.resize(rules.num_numbers());
  for (std::size_t row = 0; row < num_rows; ++row) {
    float target = 0;
    float weight = 1;
    if (!rules.read_row(rows, row, binding, target, weight, reason_, numbers_.data())) {
      issues.push_back({first_row + row, reason_});
      continue;
    }
    if (!is_taken(rows, row, binding, fold_text_)) {
      ++other_fold_rows_;
      continue;
    }
    places_.push_back(row);
    for (std::size_t i = 0; i < numbers_.size(); ++i) moments[i].add(numbers_[i]);
  }
}

template void GoodRows::take(const RowRules&, const RowsView&, std::size_t, const FieldBinding&, std::size_t,
                             std::span<RunningMoments>, std::vector<EncodeIssue>&);
template void GoodRows::take(const RowRules&, const PlacedRows&, std::size_t, const FieldBinding&,
                             std::size_t, std::span<RunningMoments>, std::vector<EncodeIssue>&);

}  // namespace widehash
