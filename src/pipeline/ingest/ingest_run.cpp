#include "ingest_run.hpp"

#include "news_exchange.hpp"
#include "shared_inputs.hpp"

#include <cstdint>
#include <span>

namespace widehash {

bool rank_0_says(Communicator& communicator, const std::function<bool()>& says) {
  std::uint64_t answer = communicator.rank() == 0 && says() ? 1 : 0;
  communicator.broadcast(std::span(&answer, 1), 0);
  return answer != 0;
}

void ingest_blocks(Communicator& communicator, RunInputs run, BlockLimits limits, const IngestLedger& ledger,
                   const std::function<BlockReport(InputBlock&)>& work,
                   const std::function<void(RunNews)>& take) {
  run.share = share_of(communicator);
  // Reports of other ranks wait in any case.
  if (communicator.size() == 1) limits.waiting_bytes = &ledger.waiting_bytes();
  exchange_news(
      communicator, run.stop,
      [&](const NewsCallback& report, const StopFlag* stop) {
        run.stop = stop;
        report_each_block(run, limits, work, report);
      },
      take);
}

}  // namespace widehash
