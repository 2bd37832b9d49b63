#pragma once

/// \file
/// Brings the reports of the ranks of a run to rank 0 while they work, so that no rank waits for another
/// one's blocks. Each rank works on a thread beside the one that communicates, and a few times a second all
/// send what they have.

#include "block_report.hpp"

#include <widehash/communicator.hpp>
#include <widehash/stop.hpp>

#include <functional>

namespace widehash {

using NewsCallback = std::function<void(RunNews)>;

/// Reports to the first argument, and ends early once the second asks.
using ReportingWork = std::function<void(const NewsCallback& report, const StopFlag* stop)>;

/// Runs `work` on every rank. On rank 0, calls take(news) with the reports of each rank, in that rank's order,
/// one call at a time. Returns when all ranks have ended and all reports are taken. Where `stop`, which may be
/// null, is set in any process, the work of all ranks is asked to stop. Throws what `work` or `take` throws;
/// CommError where another rank failed, in which case `work` is stopped at its next report(). With a single
/// rank, the thread that reports calls `take` itself. Parallel work inside `work` has the threads of the
/// caller. Cost: two small collectives about 20 times a second.
void exchange_news(Communicator& communicator, const StopFlag* stop, const ReportingWork& work,
                   const std::function<void(RunNews)>& take);

}  // namespace widehash
