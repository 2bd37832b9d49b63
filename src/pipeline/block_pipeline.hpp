#pragma once

/// \file
/// How a rank goes through the blocks dealt to it: read in order, worked on side by side, told of in order.

#include "block_report.hpp"
#include "input_blocks.hpp"
#include "news_exchange.hpp"

#include <widehash/stop.hpp>

#include <cstddef>
#include <functional>

namespace widehash {

/// What is done with one block. Any number side by side.
using BlockWork = std::function<BlockReport(InputBlock&)>;

/// Calls `work` for every block of `blocks`, at most `in_flight` of which are in memory, and `tell` with what
/// comes of each and with the ends of inputs, in the order of the inputs. `stop`, which may be null, ends the
/// run behind the blocks that are begun. Throws what `blocks`, `work` or `tell` throws.
void for_each_block(InputBlocks& blocks, std::size_t in_flight, const StopFlag* stop, const BlockWork& work,
                    const TellNews& tell);

}  // namespace widehash
