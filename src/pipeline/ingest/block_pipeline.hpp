#pragma once

/// \file
/// How a rank goes through the blocks dealt to it. An input is read by one thread at a time, and whoever has
/// read a block works on it while another reads on. A thread that finds no input to read in opens the next
/// one: so compressed files are decompressed side by side, as many as there are threads, whatever their size,
/// and one alone keeps the others busy with what it gives.

#include "block_report.hpp"
#include "input_blocks.hpp"
#include "news_exchange.hpp"

#include <widehash/stop.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace widehash {

struct BlockLimits {
  std::size_t in_flight = 0;  // blocks read and not yet told of; threads beyond it wait
  std::size_t in_memory = 0;  // those among them that come with their text
  /// Where it is there: bytes of what was told and waits for its turn in the order of the inputs. From
  /// most_waiting_bytes on no block is begun but of the first input that is not at its end, from
  /// most_behind_one_block on only one at a time.
  const std::atomic<std::uint64_t>* waiting_bytes = nullptr;
};
inline constexpr std::uint64_t most_waiting_bytes = std::uint64_t{64} << 20;
/// What one block that takes very long may hold up. So much more that blocks of later inputs that were in
/// flight when most_waiting_bytes was reached do not come to it, for they wait until the first input ends.
inline constexpr std::uint64_t most_behind_one_block = 16 * most_waiting_bytes;

/// Makes what comes of a block: any number side by side.
using BlockWork = std::function<std::shared_ptr<void>(InputBlock&)>;
using BlockResults = std::vector<std::shared_ptr<void>>;
/// Takes what came of blocks, and the ends of inputs: one call at a time, on any thread and in any order.
using TellBlocks = std::function<void(const BlockResults&, const std::vector<InputEnd>&)>;

/// Calls `work` for every block dealt to run.share and `tell` with what comes of it. `stop`, which may be
/// null, ends the run behind the blocks that are begun. Throws what `tell` throws, when the blocks that are
/// begun have ended; of what reading and `work` throw that of the first block in the order of the inputs, when
/// those before it are told of: so a run fails in the same way for any number of threads.
void for_each_block(const RunInputs& run, const BlockLimits& limits, const StopFlag* stop,
                    const BlockWork& work, const TellBlocks& tell);

/// The same for reports.
void report_each_block(const RunInputs& run, const BlockLimits& limits, const StopFlag* stop,
                       const std::function<BlockReport(InputBlock&)>& work, const TellNews& tell);

}  // namespace widehash
