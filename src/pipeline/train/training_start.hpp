#pragma once

/// \file
/// Where a training starts, agreed on by all its ranks.

#include "training_job.hpp"

#include <widehash/communicator.hpp>

#include <string>

namespace widehash {

/// Returns the file that `options` ask to resume: the checkpoint, otherwise the finished model. Empty where
/// neither exists, or nothing is to be resumed.
std::string file_to_resume(const TrainOptions& options);

/// Returns the file of this training to continue from, the same on all ranks; empty to begin it. Collective.
/// Throws ConfigError where ranks differ in what they are about to train, such as the model to begin from,
/// and, on rank 0, where a new training would replace a model or a checkpoint without being asked to.
std::string agree_on_start(const TrainingJob& job, Communicator& communicator);

/// For a checkpoint at `position`, which continues after its best epoch: throws ConfigError where the model
/// of that epoch, or of a later one, is not in its place; DataError where it is damaged.
void require_best_model(const TrainingJob& job, const TrainingPosition& position);

}  // namespace widehash
