#pragma once

namespace widehash::bench {

/// Registers `tail/...`: from the sums of one hidden layer of 32
/// units to its deltas, in one kernel and in separate ones.
void register_tail();

}  // namespace widehash::bench
