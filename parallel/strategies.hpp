#pragma once

/// \file
/// The makers of the strategies, each in the file of its name.

#include <widehash/strategy.hpp>

#include <algorithm>
#include <memory>

namespace widehash::detail {

template <class Real>
std::unique_ptr<Strategy<Real>> make_single_device(Communicator& communicator,
                                                   const StartingState<Real>& start);
template <class Real>
std::unique_ptr<Strategy<Real>> make_data_parallel(Communicator& communicator,
                                                   const StartingState<Real>& start);
template <class Real>
std::unique_ptr<Strategy<Real>> make_model_parallel(Communicator& communicator,
                                                    const StartingState<Real>& start);
template <class Real>
std::unique_ptr<Strategy<Real>> make_tower_gradients(Communicator& communicator,
                                                     const StartingState<Real>& start,
                                                     std::uint64_t batch_size);
template <class Real>
std::unique_ptr<Strategy<Real>> make_tower_parameters(Communicator& communicator,
                                                      const StartingState<Real>& start,
                                                      std::uint64_t batch_size, std::uint64_t mix_every);
template <class Real>
std::unique_ptr<Strategy<Real>> make_tower_predictions(Communicator& communicator,
                                                       const StartingState<Real>& start,
                                                       std::uint64_t batch_size);

/// Rows of a step that the tower of a rank takes: its batch, the last ones partial or empty.
inline RowSlice tower_rows(std::uint64_t step_rows, std::uint64_t batch_size, int rank) {
  const std::uint64_t begin = std::min(step_rows, batch_size * static_cast<std::uint64_t>(rank));
  return {begin, std::min(batch_size, step_rows - begin)};
}

/// A replica of everything.
inline ReplicaShape whole_replica(const Architecture& architecture) {
  const ColumnRange all{0, architecture.num_columns};
  return {all, all};
}

}  // namespace widehash::detail
