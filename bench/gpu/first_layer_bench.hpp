#pragma once

#include <widehash/code_batch.hpp>

namespace widehash::bench {

/// Registers the kernels of a step on `rows`, each by itself, and alternative implementations. Each is
/// compared with the CPU before it is measured, and skipped with an error if the results differ. `rows` must
/// stay valid.
void register_first_layer(const CodeBatchView& rows);

}  // namespace widehash::bench
