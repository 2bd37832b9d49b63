#pragma once

/// \file
/// The frame of a run over inputs that makes one folder, such as fit and transform. Every process takes part:
/// it works on the blocks dealt to it and sends its results to rank 0, which alone decides and owns the
/// folder.

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
  std::string stopped;  // where the run was asked to stop: how to continue
};

/// Calls part(communicator), which returns a RunEnd, in every process of the job, and returns the report of
/// this one. Throws what `part` throws; Stopped where the run was asked to stop, but only after all processes
/// have ended, because a rank that throws cuts the others off.
template <class Part>
auto run_in_all_processes(const Part& part) {
  TeamSettings settings;
  settings.across_processes = true;
  // One rank may merge billions of values on a slow disk for hours while the others wait. The death of a
  // process is still reported at once.
  settings.timeout_seconds = 24 * 3600;
  DeviceTeam team({Device{}}, settings);
  std::invoke_result_t<const Part&, Communicator&> end;
  team.run([&](Communicator& communicator) { end = part(communicator); });
  if (!end.stopped.empty()) throw Stopped(end.stopped);
  return std::move(end.report);
}

/// Returns on every rank what `says` returns on rank 0, the only rank that calls it. Collective.
bool rank_0_says(Communicator& communicator, const std::function<bool()>& says);

/// Passes every block that is dealt to this rank to `work`. On rank 0, take(news) receives the reports of all
/// ranks and must pass them to `ledger`. Collective; run.stop ends the work of all ranks. `limits` need not
/// set waiting_bytes, nor `run` its share. Throws as for_each_block() and exchange_news() do.
void ingest_blocks(Communicator& communicator, RunInputs run, BlockLimits limits, const IngestLedger& ledger,
                   const std::function<BlockReport(InputBlock&)>& work,
                   const std::function<void(RunNews)>& take);

}  // namespace widehash
