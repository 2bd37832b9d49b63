#pragma once

/// \file
/// How what the ranks of a run find out comes to rank 0 while they work: nobody waits for anybody's blocks.
/// Each rank works on a thread beside the one that talks, and a few times a second all bring what they have.

#include "block_report.hpp"

#include <widehash/communicator.hpp>

#include <functional>

namespace widehash {

using TellNews = std::function<void(RunNews)>;

/// Runs work(tell) on every rank; on rank 0 calls take(news) with what each rank tells, in its order, one at
/// a time. Returns when all have ended and all is taken. Throws what `work` or `take` throws; CommError where
/// another rank failed: `work` is then stopped at its next tell(). Alone, `take` is called by whoever tells.
/// Parallel work inside `work` has the threads of the caller.
/// Cost: two small collectives about 20 times a second.
void exchange_news(Communicator& communicator, const std::function<void(const TellNews&)>& work,
                   const std::function<void(RunNews)>& take);

}  // namespace widehash
