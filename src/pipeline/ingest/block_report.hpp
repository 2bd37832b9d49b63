#pragma once

/// \file
/// The report on a finished block. It goes to the ledger of the run, from other processes as a line of JSON;
/// `transform` writes the same line to the journal.

#include "input_blocks.hpp"
#include "rejected_rows.hpp"

#include <widehash/internal/running_moments.hpp>
#include <widehash/manifest.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

struct BlockReport {
  std::uint64_t block = 0;  // its number in the input that `counts` names
  BlockCounts counts;
  std::uint64_t text_bytes = 0;
  std::uint64_t disk_bytes = 0;
  std::vector<RejectedRow> rejected;  // with lines counted from 0 at the block's start
  std::uint64_t other_fold_rows = 0;  // good rows that were passed over

  // For `transform` only.
  bool resumed = false;                // found finished from an earlier run
  std::uint64_t text_checksum = 0;     // of the block's bytes; a resumed run notices a changed input by it
  std::uint64_t fields_checksum = 0;   // of the positions of the fields; 0: unknown, from earlier programs
  std::optional<ManifestShard> shard;  // none where the block had no good row

  // For `fit` only: one for each numeric feature, in the order of the schema.
  std::vector<RunningMoments> moments;
};

/// Includes the line end.
std::string to_line(const BlockReport& report);
/// Throws std::exception where the line is damaged.
BlockReport parse_report(std::string_view line);

/// What a rank reports at a time.
struct RunNews {
  std::vector<BlockReport> blocks;
  std::vector<InputEnd> ends;
};

std::string to_text(const RunNews& news);
RunNews parse_news(std::string_view text);

}  // namespace widehash
