#pragma once

/// \file
/// How a training treats its rows, beyond what its options say. A resumed training keeps the rules it began
/// with, and only this file knows how earlier versions began: their notes lack a key.
///
///     key            without it
///     even_steps     every step takes as many rows as it may, and the last one takes the remainder
///     mean_weight    a gradient is divided by the weight of its step

#include "batch_cut.hpp"
#include "training_notes.hpp"

#include <widehash/dataset.hpp>

#include <cstdint>

namespace widehash {

struct StepRules {
  bool has_even_steps = true;
  double mean_weight = 0;  // as OptimizerSettings::mean_weight

  /// Returns the rules of a training that begins with these rows.
  static StepRules of(const Dataset& rows);
  /// Returns the rules of a training with these settings.
  static StepRules of(const TrainingNotes& settings);
  void put(TrainingNotes& settings) const;

  /// Cuts the rows of an epoch into steps of at most `rows_per_step` rows. Even steps are larger where they
  /// would otherwise have fewer than `least` rows, as far as there are enough rows.
  BatchCut cut(std::uint64_t num_rows, std::uint64_t rows_per_step, std::uint64_t least) const noexcept;
};

}  // namespace widehash
