#pragma once

/// \file
/// Where a training starts, as all its ranks must have it.

#include "training_job.hpp"

#include <widehash/communicator.hpp>

#include <string>

namespace widehash {

/// Where `options` ask to resume: the checkpoint, else the model that was finished; empty where neither is
/// there, or nothing is to be resumed.
std::string file_to_resume(const TrainOptions& options);

/// The file of this training to go on from, the same on all ranks; empty to begin it. Collective. Throws
/// ConfigError where the model to begin from is another one here than to rank 0, and, on rank 0, where a new
/// training would replace a model or a checkpoint unasked.
std::string agree_on_start(const TrainingJob& job, Communicator& communicator);

/// For a checkpoint at `position`, which goes on behind its best epoch: throws ConfigError where the model of
/// that epoch, or of a later one, is not at its place; DataError where it is damaged.
void require_best_model(const TrainingJob& job, const TrainingPosition& position);

}  // namespace widehash
