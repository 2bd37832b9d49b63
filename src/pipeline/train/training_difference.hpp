#pragma once

/// \file
/// Describes how a resumed run differs from the training that it continues, in words that name options.

#include <widehash/architecture.hpp>
#include <widehash/optimizer.hpp>

#include <string>

#include <nlohmann/json.hpp>

namespace widehash {

/// What a resumed run must share with the training that it continues. Settings are compared by content, since
/// the order of keys does not survive a model file.
struct TrainingIdentity {
  Architecture architecture;
  OptimizerSettings optimizer;
  nlohmann::json settings;  // TrainingJob::settings()
};

/// Returns the differences, such as "--hidden: 32,16 before, none now; --seed: 1 before, 2 now"; "" where
/// there are none.
std::string describe_difference(const TrainingIdentity& then, const TrainingIdentity& now);

}  // namespace widehash
