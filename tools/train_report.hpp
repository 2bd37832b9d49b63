#pragma once

/// \file
/// What `widehash train` tells: each epoch as it ends, and the training in the end, as JSON and for people.

#include "report.hpp"

#include <widehash/train.hpp>

#include <cstdint>
#include <string>

namespace widehash::tools {

/// A line: losses and speed of an epoch of `epochs`, or what the start was worth where it is number 0.
std::string epoch_text(const EpochReport& epoch, std::uint64_t epochs);

/// `seconds` are those of the whole command.
Json report_json(const TrainReport& report, const TrainOptions& options, double seconds);
/// What plainly speaks against the model: whole sentences, a line or more; "" where nothing does.
std::string judgement_text(const TrainReport& report, const TrainOptions& options);
/// The report as aligned lines, and what to make of a model that is worse than its start or a constant.
std::string report_text(const TrainReport& report, const TrainOptions& options, double seconds);

}  // namespace widehash::tools
