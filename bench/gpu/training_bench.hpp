#pragma once

namespace widehash::bench {

/// Registers steps of training, by the clock on the wall: a step ends when the host has read its loss.
void register_training();

}  // namespace widehash::bench
