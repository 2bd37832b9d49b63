#pragma once

/// \file
/// Where a training starts, as all its ranks must have it.

#include "training_job.hpp"

#include <widehash/communicator.hpp>

#include <string>

namespace widehash {

/// The file of this training to go on from, the same on all ranks; empty to begin it. Collective. Throws
/// ConfigError where the model to begin from is another one here than to rank 0, and, on rank 0, where a new
/// training would replace a model or a checkpoint unasked.
std::string agree_on_start(const TrainingJob& job, Communicator& communicator);

}  // namespace widehash
