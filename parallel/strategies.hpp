#pragma once

/// \file
/// The factories of the strategies, each defined in the file of its name.

#include <widehash/communicator.hpp>
#include <widehash/strategy.hpp>

#include <cstddef>
#include <cstdint>
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
                                                     const StartingState<Real>& start);
template <class Real>
std::unique_ptr<Strategy<Real>> make_tower_parameters(Communicator& communicator,
                                                      const StartingState<Real>& start,
                                                      std::uint64_t mix_every);
template <class Real>
std::unique_ptr<Strategy<Real>> make_tower_predictions(Communicator& communicator,
                                                       const StartingState<Real>& start);

/// The rows of a step that a rank takes: an even share. In a full step of towers this is a batch for each
/// tower; in the last step it is less. No tower therefore sees fewer rows than another, as the last towers
/// would if a table of few steps filled the batches of the first ones.
inline RowSlice even_rows(std::uint64_t step_rows, const Communicator& communicator) {
  const auto offsets = even_offsets(step_rows, static_cast<std::size_t>(communicator.size()));
  const auto rank = static_cast<std::size_t>(communicator.rank());
  return {offsets[rank], offsets[rank + 1] - offsets[rank]};
}

/// A replica of all columns.
inline ReplicaShape whole_replica(const Architecture& architecture) {
  const ColumnRange all{0, architecture.num_columns};
  return {all, all};
}

}  // namespace widehash::detail
