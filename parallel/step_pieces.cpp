#include "step_pieces.hpp"

#include <widehash/error.hpp>
#include <widehash/loss.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

namespace widehash::detail {

std::vector<std::size_t> column_offsets(const Architecture& architecture, int size) {
  return even_offsets(architecture.num_columns, static_cast<std::size_t>(size));
}

ColumnRange columns_of(const std::vector<std::size_t>& offsets, int rank) {
  const auto r = static_cast<std::size_t>(rank);
  return {offsets[r], offsets[r + 1]};
}

template <class Real>
void fill_zero(Parameters<Real>& values) {
  for (const auto& tensor : values.tensors()) std::fill(tensor.values.begin(), tensor.values.end(), Real{0});
}

bool is_sparse_batch(const CodeBatchView& batch, std::uint64_t num_columns) noexcept {
  return num_set_columns(batch) < num_columns / 4;
}

void throw_not_finite(std::string_view step, std::string_view what) {
  throw DataError(
      std::string(step), 0,
      fmt::format("{} is not finite; a smaller learning rate or scaled numeric features may help", what));
}

template <class Real>
void require_finite(const Parameters<Real>& gradient, std::string_view step) {
  for (const auto& tensor : gradient.tensors()) {
    if (!all_finite(tensor.values)) throw_not_finite(step, "the gradient");
  }
}

double agree_on_weight(Communicator& communicator, const CodeBatchView& rows, std::uint64_t step_rows) {
  if (!rows.layout->has_weights) return static_cast<double>(step_rows);
  double weight = sum_of_weights(rows.weights, rows.num_rows);
  communicator.all_reduce(std::span(&weight, 1));
  return weight;
}

template <class Real>
double loss_and_gradient(const Network<Real>& network, const CodeBatchView& rows, double normaliser,
                         std::string_view step, Workspace<Real>& work, Parameters<Real>& gradient) {
  fill_zero(gradient);
  if (rows.num_rows == 0) return 0;
  network.first_forward(rows, work);
  network.tail_forward(work);
  const double loss = network.loss_and_output_gradient(rows, normaliser, work, step);
  if (!std::isfinite(loss) || !all_finite<Real>(work.outputs())) throw_not_finite(step, "the loss");
  network.tail_backward(work, gradient);
  network.first_backward(rows, work, gradient, nullptr);
  return loss;
}

template <class Real>
void all_reduce_tail(Communicator& communicator, Parameters<Real>& values, std::vector<Real>& scratch) {
  const auto tensors = values.tensors();
  scratch.clear();
  for (std::size_t i = 1; i < tensors.size(); ++i)
    scratch.insert(scratch.end(), tensors[i].values.begin(), tensors[i].values.end());
  communicator.all_reduce(std::span<Real>(scratch));
  auto from = scratch.cbegin();
  for (std::size_t i = 1; i < tensors.size(); ++i) {
    const auto count = static_cast<std::ptrdiff_t>(tensors[i].values.size());
    std::copy(from, from + count, tensors[i].values.begin());
    from += count;
  }
}

template <class Real>
void copy_tail(const Parameters<Real>& from, Parameters<Real>& to) {
  const auto sources = from.tensors();
  const auto targets = to.tensors();
  for (std::size_t i = 1; i < sources.size(); ++i)
    std::copy(sources[i].values.begin(), sources[i].values.end(), targets[i].values.begin());
}

template <class Real>
void predict_in_slices(Communicator& communicator, const Network<Real>& network, const CodeBatchView& rows,
                       Workspace<Real>& work, std::span<Real> predictions) {
  auto offsets = even_offsets(rows.num_rows, static_cast<std::size_t>(communicator.size()));
  const auto rank = static_cast<std::size_t>(communicator.rank());
  const CodeBatchView slice = rows.rows(offsets[rank], offsets[rank + 1] - offsets[rank]);
  const std::size_t outputs = network.architecture().outputs;
  const std::span<Real> own = predictions.subspan(offsets[rank] * outputs, slice.num_rows * outputs);
  {
    const ActivityScope scope(communicator.clock(), Activity::compute);
    network.predict(slice, work, own);
  }
  for (std::size_t& offset : offsets) offset *= outputs;
  communicator.all_gather<Real>(own, offsets, predictions);
}

template void fill_zero(Parameters<float>&);
template void fill_zero(Parameters<double>&);
template void require_finite(const Parameters<float>&, std::string_view);
template void require_finite(const Parameters<double>&, std::string_view);
template double loss_and_gradient(const Network<float>&, const CodeBatchView&, double, std::string_view,
                                  Workspace<float>&, Parameters<float>&);
template double loss_and_gradient(const Network<double>&, const CodeBatchView&, double, std::string_view,
                                  Workspace<double>&, Parameters<double>&);
template void all_reduce_tail(Communicator&, Parameters<float>&, std::vector<float>&);
template void all_reduce_tail(Communicator&, Parameters<double>&, std::vector<double>&);
template void copy_tail(const Parameters<float>&, Parameters<float>&);
template void copy_tail(const Parameters<double>&, Parameters<double>&);
template void predict_in_slices(Communicator&, const Network<float>&, const CodeBatchView&, Workspace<float>&,
                                std::span<float>);
template void predict_in_slices(Communicator&, const Network<double>&, const CodeBatchView&,
                                Workspace<double>&, std::span<double>);

}  // namespace widehash::detail
