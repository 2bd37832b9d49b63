#pragma once

/// \file
/// Brings the reports of the ranks of a run to rank 0 while they work, so that no rank waits for another
/// one's blocks. Each rank works on a thread beside the one that communicates, and a few times a second all
/// send what they have.

#include "block_report.hpp"

#include <widehash/communicator.hpp>

#include <functional>

namespace widehash {

using NewsCallback = std::function<void(RunNews)>;

/// Runs work(report) on every rank. On rank 0, calls take(news) with the reports of each rank, in that rank's
/// order, one call at a time. Returns when all ranks have ended and all reports are taken. Throws what `work`
/// or `take` throws; CommError where another rank failed, in which case `work` is stopped at its next report().
/// With a single rank, the thread that reports calls `take` itself. Parallel work inside `work` has the
/// threads of the caller. Cost: two small collectives about 20 times a second.
void exchange_news(Communicator& communicator, const std::function<void(const NewsCallback&)>& work,
                   const std::function<void(RunNews)>& take);

}  // namespace widehash
