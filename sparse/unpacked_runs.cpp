#include "append_rows.hpp"

#include <widehash/unpacked_runs.hpp>

#include <cstddef>

namespace widehash {

CodeBatchView unpacked(const CodeBatchView& rows, UnpackedRuns& memory) {
  if (!rows.has_packed_runs()) return rows;
  memory.columns.clear();
  memory.offsets.assign(1, 0);
  for (std::size_t row = 0; row < rows.num_rows; ++row) {
    detail::append_run(rows, row, memory.columns);
    memory.offsets.push_back(memory.columns.size());
  }
  CodeBatchView made = rows;
  made.packed_runs = {};
  made.ragged_offsets = memory.offsets;
  made.ragged = memory.columns;
  return made;
}

}  // namespace widehash
