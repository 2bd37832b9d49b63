#pragma once

/// \file
/// What is decided before a training begins, the same for all its devices: the data, the network, and the
/// settings that a resumed run must share.

#include "batch_cut.hpp"
#include "step_rules.hpp"
#include "training_notes.hpp"

#include <widehash/dataset.hpp>
#include <widehash/model.hpp>
#include <widehash/train.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace widehash {

/// Returns the loss of a new network: as the options say, otherwise as the label requires.
LossKind loss_of(const TrainOptions& options, const CodeLayout& rows);

/// Opens the rows to train on and applies the class weights to them.
Dataset training_data(const TrainOptions& options);

class TrainingJob {
 public:
  /// Checks everything that can be known before the first batch. Throws ConfigError, DataError, FileError.
  TrainingJob(const TrainOptions& options, int world_size);

  const TrainOptions& options() const noexcept { return options_; }
  const Dataset& dataset() const noexcept { return dataset_; }
  const Dataset* valid() const noexcept { return valid_ ? &*valid_ : nullptr; }
  const Architecture& architecture() const noexcept { return architecture_; }
  const OptimizerSettings& optimizer() const noexcept { return options_.optimizer; }
  const ModelSource& source() const noexcept { return source_; }
  /// The model that a new training starts from; null for fresh parameters. Several threads may read it.
  const ModelFile<float>* from() const noexcept { return from_.get(); }
  /// Returns whether the optimizer continues with the states of from().
  bool keeps_state() const noexcept;
  const TrainingNotes& settings() const noexcept { return settings_; }
  /// Identifies the rows of valid(); "" where there are none.
  const std::string& valid_rows() const noexcept { return valid_rows_; }
  /// TrainReport::own_rows.
  const std::string& own_rows() const noexcept { return own_rows_; }
  /// TrainReport::repeated_rows.
  const std::string& repeated_rows() const noexcept { return repeated_rows_; }
  /// TrainReport::only_target.
  const std::optional<float>& one_target() const noexcept { return only_target_; }
  std::uint64_t rows_per_step() const noexcept { return rows_per_step_; }
  /// Returns how the rows of an epoch are cut into steps.
  BatchCut steps() const noexcept;
  std::string checkpoint_path() const { return checkpoint_path_of(options_.model); }
  static std::string checkpoint_path_of(const std::string& model) { return model + ".checkpoint"; }

  /// Throws ConfigError where training cannot continue from `file`, which open_model() opened.
  void require_resumable(const ModelFile<float>& file) const;

 private:
  std::unique_ptr<const ModelFile<float>> open_from() const;
  /// Sets the rules of the training to resume, or those of the rows.
  void take_rules();
  Architecture make_architecture() const;
  /// Makes the learning rate fall over this training, whatever steps the model has behind it.
  void set_decay();
  TrainingNotes make_settings() const;
  void require_rows_for_towers(int world_size) const;
  void require_classes() const;
  // Runs before the first epoch: a bad target must not cost the epoch that is to be judged. Cost: a pass over
  // the targets.
  void check_valid_targets() const;

  TrainOptions options_;
  Dataset dataset_;
  std::optional<Dataset> valid_;
  std::uint64_t rows_per_step_;
  std::uint64_t world_size_;
  StepRules rules_;
  std::optional<TargetUnits> resumed_units_;  // of the training to resume
  std::unique_ptr<const ModelFile<float>> from_;
  Architecture architecture_;
  ModelSource source_;
  TrainingNotes settings_;
  std::string valid_rows_;
  std::string own_rows_;
  std::string repeated_rows_;
  std::optional<float> only_target_;
};

}  // namespace widehash
