#pragma once

/// \file
/// The frame of a run over inputs that makes one folder, as fit and transform are: every process has a part
/// in it, works on the blocks dealt to it and brings what it finds out of them to rank 0, which alone decides
/// and keeps the folder.

#include "block_pipeline.hpp"
#include "ingest_ledger.hpp"

#include <widehash/communicator.hpp>
#include <widehash/device_team.hpp>
#include <widehash/error.hpp>
#include <widehash/stop.hpp>

#include <functional>
#include <string>
#include <type_traits>
#include <utility>

namespace widehash {

template <class Report>
struct RunEnd {
  Report report;
  std::string stopped;  // where the run was asked to stop: how to go on
};

/// part(communicator), which gives a RunEnd, in every process of the job: gives the report of this one. Throws
/// what `part` throws; Stopped where the run was asked to stop, and only when all have ended, for a rank that
/// throws cuts the others off.
template <class Part>
auto run_in_all_processes(const Part& part) {
  TeamSettings settings;
  settings.across_processes = true;
  // One may merge billions of values on a slow disk for hours while the others wait; that a process has died is told
  // at once all the same.
  settings.timeout_seconds = 24 * 3600;
  DeviceTeam team({Device{}}, settings);
  std::invoke_result_t<const Part&, Communicator&> end;
  team.run([&](Communicator& communicator) { end = part(communicator); });
  if (!end.stopped.empty()) throw Stopped(end.stopped);
  return std::move(end.report);
}

/// On every rank what `says` gives on rank 0, where alone it is called. Collective.
bool rank_0_says(Communicator& communicator, const std::function<bool()>& says);

/// Every block that is dealt to this rank through `work`; on rank 0 take(news) gets what all find out, and
/// hands it on to `ledger`. Collective. `limits` need not speak of what waits, nor `run` of its share. Throws
/// as for_each_block() and exchange_news() do.
void ingest_blocks(Communicator& communicator, RunInputs run, BlockLimits limits, const StopFlag* stop,
                   const IngestLedger& ledger, const std::function<BlockReport(InputBlock&)>& work,
                   const std::function<void(RunNews)>& take);

}  // namespace widehash
