#pragma once

/// \file
/// In what a training that is to go on differs from the one that is gone on with, in words that name options.

#include <widehash/architecture.hpp>
#include <widehash/optimizer.hpp>

#include <string>

#include <nlohmann/json.hpp>

namespace widehash {

/// What a resumed run must share with the one it carries on. Settings are compared by what they say: the
/// order of keys does not survive a model file.
struct TrainingIdentity {
  Architecture architecture;
  OptimizerSettings optimizer;
  nlohmann::json settings;  // TrainingJob::settings()
};

/// "the hidden layers were 32,16 and are none now, the epochs are others"; "" where they are the same.
std::string describe_difference(const TrainingIdentity& then, const TrainingIdentity& now);

}  // namespace widehash
