#include "step_pieces.hpp"

#include <widehash/error.hpp>
#include <widehash/loss.hpp>

#include <fmt/format.h>

namespace widehash::detail {

std::vector<std::size_t> column_offsets(const Architecture& architecture, int size) {
  return even_offsets(architecture.num_columns, static_cast<std::size_t>(size));
}

std::vector<std::size_t> column_offsets(const Architecture& architecture, int size,
                                        std::span<const std::uint64_t> borders) {
  std::vector<std::size_t> offsets = column_offsets(architecture, size);
  for (std::size_t cut = 1; cut + 1 < offsets.size(); ++cut) {
    const std::uint64_t even = offsets[cut];
    const auto after = std::lower_bound(borders.begin(), borders.end(), even);
    std::uint64_t nearest = largest_shift(architecture, size) + 1;
    const auto consider = [&](std::uint64_t border) {
      const std::uint64_t distance = border > even ? border - even : even - border;
      if (distance >= nearest) return;
      nearest = distance;
      offsets[cut] = border;
    };
    if (after != borders.end()) consider(*after);
    if (after != borders.begin()) consider(*std::prev(after));
  }
  return offsets;
}

std::uint64_t largest_shift(const Architecture& architecture, int size) noexcept {
  constexpr std::uint64_t shifts_in_share = 16;
  return architecture.num_columns / static_cast<std::uint64_t>(size) / shifts_in_share;
}

ColumnRange columns_of(const std::vector<std::size_t>& offsets, int rank) {
  const auto r = static_cast<std::size_t>(rank);
  return {offsets[r], offsets[r + 1]};
}

double weight_of(const CodeBatchView& rows, const PreparedRows* prepared) noexcept {
  return prepared != nullptr ? prepared->weight() : sum_of_weights(rows.weights, rows.num_rows);
}

double agree_on_weight(Communicator& communicator, const CodeBatchView& rows, double own_weight,
                       std::uint64_t step_rows) {
  if (!rows.layout->has_weights) return static_cast<double>(step_rows);
  communicator.all_reduce(std::span(&own_weight, 1));
  return own_weight;
}

template <class Real>
void all_reduce_tail(Communicator& communicator, Replica<Real>& replica, ValueSet set) {
  replica.with_tail(set, [&](DeviceSpan<Real> values) { communicator.all_reduce(values); });
}

template <class Real>
void predict_in_slices(Communicator& communicator, Replica<Real>& replica, const CodeBatchView& rows,
                       std::span<Real> predictions) {
  const std::size_t outputs = replica.architecture().outputs;
  if (predictions.size() != rows.num_rows * outputs) {
    throw ShapeError(fmt::format("predict: room for {} predictions of {} rows with {} outputs",
                                 predictions.size(), rows.num_rows, outputs));
  }
  auto offsets = even_offsets(rows.num_rows, static_cast<std::size_t>(communicator.size()));
  const auto rank = static_cast<std::size_t>(communicator.rank());
  const CodeBatchView slice = rows.rows(offsets[rank], offsets[rank + 1] - offsets[rank]);
  const std::span<Real> own = predictions.subspan(offsets[rank] * outputs, slice.num_rows * outputs);
  {
    const ActivityScope scope(communicator.clock(), Activity::compute);
    replica.predict(slice, own);
  }
  for (std::size_t& offset : offsets) offset *= outputs;
  communicator.all_gather<Real>(std::span<const Real>(own), offsets, predictions);
}

template void all_reduce_tail(Communicator&, Replica<float>&, ValueSet);
template void all_reduce_tail(Communicator&, Replica<double>&, ValueSet);
template void predict_in_slices(Communicator&, Replica<float>&, const CodeBatchView&, std::span<float>);
template void predict_in_slices(Communicator&, Replica<double>&, const CodeBatchView&, std::span<double>);

}  // namespace widehash::detail
