#include "good_rows.hpp"

namespace widehash {

template <class Rows>
void GoodRows::take(const RowRules& rules, const Rows& rows, std::size_t num_rows,
                    const FieldBinding& binding, std::size_t first_row, std::span<RunningMoments> moments,
                    std::vector<EncodeIssue>& issues) {
  places_.clear();
  numbers_.resize(rules.num_numbers());
  for_each_good_row(
      rules, rows, num_rows, binding, first_row, scratch_, issues, [&] { return numbers_.data(); },
      [&](std::size_t row, float, float) {
        places_.push_back(row);
        for (std::size_t i = 0; i < numbers_.size(); ++i) moments[i].add(numbers_[i]);
      });
}

template void GoodRows::take(const RowRules&, const RowsView&, std::size_t, const FieldBinding&, std::size_t,
                             std::span<RunningMoments>, std::vector<EncodeIssue>&);
template void GoodRows::take(const RowRules&, const PlacedRows&, std::size_t, const FieldBinding&,
                             std::size_t, std::span<RunningMoments>, std::vector<EncodeIssue>&);

}  // namespace widehash
