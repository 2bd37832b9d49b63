#pragma once

/// \file
/// Ragged runs of a shard as columns of the matrix. A shard holds them packed: a four-split value takes four
/// bytes or eight there, and sixteen as columns.

#include <widehash/code_batch.hpp>

#include <cstdint>
#include <vector>

namespace widehash {

/// Memory for unpacked runs, which may be used again and again.
struct UnpackedRuns {
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint32_t> columns;
};

/// Returns `rows` with their ragged runs as columns in `memory`, or `rows` itself if its runs are not packed.
/// Valid while `memory` is unchanged and the memory of `rows` lives. Throws ShapeError if a run is damaged, which
/// Shard() with `verify` rules out. Cost: a pass over the runs.
CodeBatchView unpacked(const CodeBatchView& rows, UnpackedRuns& memory);

}  // namespace widehash
