#pragma once

/// \file
/// Processes the blocks dealt to a rank. An input is read by one thread at a time, and the thread that has
/// read a block works on it while another one reads on. A thread that finds no input to read opens the next
/// one. So compressed files of any size are decompressed in parallel, as many as there are threads, and a
/// single one keeps the other threads busy with its blocks.

#include "block_report.hpp"
#include "input_blocks.hpp"
#include "news_exchange.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace widehash {

struct BlockLimits {
  std::size_t in_flight = 0;  // blocks read and not yet reported; further threads wait
  std::size_t in_memory = 0;  // those of them that hold their text
  /// If not null: bytes of the results that were reported and wait for their turn in the order of the inputs.
  /// From most_waiting_bytes on, blocks begin only in the first input that is not at its end; from
  /// most_behind_one_block on, only one block at a time.
  const std::atomic<std::uint64_t>* waiting_bytes = nullptr;
};
inline constexpr std::uint64_t most_waiting_bytes = std::uint64_t{64} << 20;
/// What one very slow block may hold up. It is so much larger that the blocks of later inputs that were in
/// flight when most_waiting_bytes was reached, and that wait until the first input ends, do not reach it.
inline constexpr std::uint64_t most_behind_one_block = 16 * most_waiting_bytes;

/// Makes the result of a block. Called by any number of threads at once.
using BlockWork = std::function<std::shared_ptr<void>(InputBlock&)>;
using BlockResults = std::vector<std::shared_ptr<void>>;
/// Takes the results of blocks, and the ends of inputs: one call at a time, on any thread and in any order.
using BlocksCallback = std::function<void(const BlockResults&, const std::vector<InputEnd>&)>;

/// Calls `work` for every block dealt to run.share, and `report` with the results. run.stop ends the run after
/// the blocks that have begun, and the waits for inputs at once; nothing is thrown then. Throws what `report`
/// throws, once the blocks that have begun have ended. Of the exceptions of reading and of `work`, throws the
/// one of the first block in the order of the inputs, once the blocks before it are reported, so that a run
/// fails in the same way for any number of threads.
void for_each_block(const RunInputs& run, const BlockLimits& limits, const BlockWork& work,
                    const BlocksCallback& report);

/// The same for block reports.
void report_each_block(const RunInputs& run, const BlockLimits& limits,
                       const std::function<BlockReport(InputBlock&)>& work, const NewsCallback& report);

}  // namespace widehash
