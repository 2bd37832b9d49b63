#pragma once

/// \file
/// What a training makes of its rows beside what its options say. One that is resumed keeps what it began with,
/// and this is the one place that knows how earlier versions began: their notes lack a key.
///
///     key            without it
///     even_steps     steps take all the rows that they may, and a last one what is left
///     mean_weight    a gradient is divided by the weight of its step

#include "batch_cut.hpp"
#include "training_notes.hpp"

#include <widehash/dataset.hpp>

#include <cstdint>

namespace widehash {

struct StepRules {
  bool has_even_steps = true;
  double mean_weight = 0;  // as OptimizerSettings::mean_weight

  /// Of a training that begins with these rows.
  static StepRules of(const Dataset& rows);
  /// Of one whose settings these are.
  static StepRules of(const TrainingNotes& settings);
  void put(TrainingNotes& settings) const;

  /// An epoch's rows into steps of at most `rows_per_step`, in each of which at least `least` are, as far as there
  /// are so many.
  BatchCut cut(std::uint64_t num_rows, std::uint64_t rows_per_step, std::uint64_t least) const noexcept;
};

}  // namespace widehash
