#include "ingest_ledger.hpp"

#include <widehash/error.hpp>

#include <utility>

namespace widehash {

IngestLedger::IngestLedger(const std::vector<Input>& inputs, RejectedRows rejected,
                           const ProgressCallback& progress, UseBlock use)
    : inputs_(inputs),
      progress_(progress),
      use_(std::move(use)),
      order_(inputs.size()),
      tally_(inputs.size()),
      rejected_(std::move(rejected)),
      rejected_of_(inputs.size(), 0),
      other_fold_rows_of_(inputs.size(), 0) {
  done_.bytes_total = bytes_on_disk(inputs);
}

void IngestLedger::take(RunNews news) {
  for (const InputEnd& end : news.ends) order_.add(end);
  for (BlockReport& block : news.blocks) {
    add_progress(block);
    const auto [input, number] = std::pair(block.counts.input, block.block);
    const std::uint64_t num_bytes =
        sizeof(BlockReport) + block.moments.size() * sizeof(RunningMoments) + bytes_of(block.rejected);
    order_.add(input, number, std::move(block), num_bytes);
  }
  while (auto report = order_.next()) settle(*report);
}

// Counts blocks as they arrive, because of several inputs read in parallel the first may be the last to end.
void IngestLedger::add_progress(const BlockReport& report) {
  done_.rows += report.counts.rows_read;
  done_.bytes_done += report.disk_bytes;
  if (report.resumed) {
    done_.earlier_rows += report.counts.rows_read;
    done_.earlier_bytes += report.disk_bytes;
  }
  if (progress_) progress_(done_);
}

void IngestLedger::settle(BlockReport& report) {
  tally_.settle(report.counts, report.rejected);
  for (const RejectedRow& row : report.rejected) rejected_.add(row);
  rejected_of_[report.counts.input] += report.rejected.size();
  other_fold_rows_of_[report.counts.input] += report.other_fold_rows;
  text_bytes_ += report.text_bytes;
  use_(report);
}

void IngestLedger::finish(std::string_view consequence) {
  if (!order_.is_complete()) {
    throw Error(
        "no process worked on some blocks of the inputs: this is a bug in widehash, please report it");
  }
  tally_.require_all_rows(inputs_, consequence);
  rejected_.finish();
}

}  // namespace widehash
