#pragma once

/// \file
/// The state of a run over all its inputs. Rank 0 keeps it: it receives the report of every block, in any
/// order, and does in the order of the inputs what depends on that order: the lines of rejected rows, the bad
/// row that exceeds the limit, the counts that must agree.

#include "block_order.hpp"
#include "block_report.hpp"
#include "input_tally.hpp"
#include "rejected_rows.hpp"

#include <widehash/input.hpp>
#include <widehash/progress.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

class IngestLedger {
 public:
  using UseBlock = std::function<void(const BlockReport&)>;

  /// Calls use(report) for every block in order. `inputs` and `progress` must outlive the object.
  IngestLedger(const std::vector<Input>& inputs, RejectedRows rejected, const ProgressCallback& progress,
               UseBlock use);

  /// Throws DataError for the bad row that exceeds the limit.
  void take(RunNews news);
  /// Call it when every rank has reported everything. Throws DataError, with `consequence`, where rows are
  /// missing.
  void finish(std::string_view consequence);

  /// Bytes of the reports that wait for their turn; see BlockLimits::waiting_bytes.
  const std::atomic<std::uint64_t>& waiting_bytes() const noexcept { return order_.waiting_bytes(); }

  std::uint64_t rows_read(std::size_t input) const { return tally_.rows_read(input); }
  std::uint64_t rejected_rows(std::size_t input) const { return rejected_of_.at(input); }
  std::uint64_t rejected_rows() const noexcept { return rejected_.count(); }
  std::uint64_t other_fold_rows(std::size_t input) const { return other_fold_rows_of_.at(input); }
  std::uint64_t text_bytes() const noexcept { return text_bytes_; }

 private:
  void add_progress(const BlockReport& report);
  void settle(BlockReport& report);

  const std::vector<Input>& inputs_;
  const ProgressCallback& progress_;
  UseBlock use_;
  BlockOrder<BlockReport> order_;
  InputTally tally_;
  RejectedRows rejected_;
  std::vector<std::uint64_t> rejected_of_;
  std::vector<std::uint64_t> other_fold_rows_of_;
  std::uint64_t text_bytes_ = 0;
  Progress done_;
};

}  // namespace widehash
