#pragma once

namespace widehash::bench {

/// Registers training steps, timed by the wall clock: a step ends when the host has read its loss.
void register_training();

}  // namespace widehash::bench
