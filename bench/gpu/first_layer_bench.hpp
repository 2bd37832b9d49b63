#pragma once

#include <widehash/code_batch.hpp>

namespace widehash::bench {

/// Registers the kernels of a step on `rows`, each by itself, and other ways to the same. Every one is
/// compared with the processor before it is measured, and skipped with an error where it gives something
/// else. `rows` must stay.
void register_first_layer(const CodeBatchView& rows);

}  // namespace widehash::bench
