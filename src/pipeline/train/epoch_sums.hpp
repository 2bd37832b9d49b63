#pragma once

/// \file
/// The sums of an epoch so far. A checkpoint stores them, so that a run that continues from it reports the
/// epoch as if it had never been interrupted.

#include "training_notes.hpp"

#include <widehash/communicator.hpp>
#include <widehash/strategy.hpp>

#include <array>
#include <cstdint>
#include <span>

namespace widehash {

class EpochSums {
 public:
  void add(const LossSum& sum) noexcept {
    loss_and_weight_[0] += sum.loss;
    loss_and_weight_[1] += sum.weight;
  }
  void add_rows(std::uint64_t rows) noexcept { rows_ += rows; }
  /// Returns the number of rows on all ranks.
  std::uint64_t rows() const noexcept { return rows_; }
  /// Valid on rank 0, after gather().
  double mean_loss() const noexcept { return loss_and_weight_[0] / loss_and_weight_[1]; }

  /// Collective. Rank 0 then holds the sums of all ranks.
  void gather(Communicator& communicator) {
    communicator.all_reduce(std::span<double>(loss_and_weight_));
    if (communicator.rank() != 0) loss_and_weight_ = {};
  }

  /// Returns whether the entries in `notes` have the types that put() writes.
  static bool are_sound(const TrainingNotes& notes) {
    const auto is_sound = [&](const char* key, bool (TrainingNotes::*is_type)() const) {
      return !notes.contains(key) || (notes.at(key).*is_type)();
    };
    return is_sound(loss_key, &TrainingNotes::is_number) && is_sound(weight_key, &TrainingNotes::is_number) &&
           is_sound(rows_key, &TrainingNotes::is_number_unsigned);
  }
  /// Reads what put() wrote; rank 0 gets the sums of all ranks.
  static EpochSums from(const TrainingNotes& notes, bool is_main) {
    EpochSums sums;
    if (is_main) sums.loss_and_weight_ = {notes.value(loss_key, 0.0), notes.value(weight_key, 0.0)};
    sums.rows_ = notes.value(rows_key, std::uint64_t{0});
    return sums;
  }
  void put(TrainingNotes& notes) const {
    notes[loss_key] = loss_and_weight_[0];
    notes[weight_key] = loss_and_weight_[1];
    notes[rows_key] = rows_;
  }

 private:
  static constexpr const char* loss_key = "epoch_loss_sum";
  static constexpr const char* weight_key = "epoch_weight_sum";
  static constexpr const char* rows_key = "epoch_rows";

  std::array<double, 2> loss_and_weight_{};  // this rank's
  std::uint64_t rows_ = 0;
};

}  // namespace widehash
