#pragma once

/// \file
/// What `widehash train` reports: each epoch as it ends, and the training at the end, as JSON and for people.

#include "report.hpp"

#include <widehash/train.hpp>

#include <cstdint>
#include <string>

namespace widehash::tools {

/// One line with the losses and the speed of one of `epochs` epochs; for epoch 0, the metrics of the start.
std::string epoch_text(const EpochReport& epoch, std::uint64_t epochs);

/// `seconds` is the time of the whole command.
Json report_json(const TrainReport& report, const TrainOptions& options, double seconds);
/// Says what plainly speaks against the model, in whole sentences, one or more lines; "" if nothing does.
std::string judgement_text(const TrainReport& report, const TrainOptions& options);
/// The report as aligned lines, with advice if the model is worse than its start or than a constant.
std::string report_text(const TrainReport& report, const TrainOptions& options, double seconds);

}  // namespace widehash::tools
