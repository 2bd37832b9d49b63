#pragma once

/// \file
/// Writes a shard batch by batch. Codes go to the file as they arrive, so a shard of any size is written in
/// little memory. The sections of a file follow one another, so the other slots of the rows (4 to 8 bytes
/// each) wait in memory until finish(). Ragged runs, which may have any length, wait in memory if they are
/// short, and otherwise in an unnamed file beside the shard. They are packed unless the layout's code_bytes says
/// otherwise.

#include <widehash/code_batch.hpp>
#include <widehash/internal/temp_file.hpp>
#include <widehash/shard.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace widehash {

class ShardWriter {
 public:
  /// Bytes of ragged runs that may wait in memory.
  static constexpr std::size_t ragged_memory = std::size_t{4} << 20;

  /// Begins to write `directory/file` under a temporary name. Throws FileError.
  ShardWriter(std::shared_ptr<const CodeLayout> layout, const std::string& directory, std::string file);

  /// Appends rows. Throws ShapeError if they have another layout, or ragged runs that are not made of whole
  /// values (then nothing is appended); ConfigError after finish(); FileError. After a
  /// FileError or std::bad_alloc the shard lacks a part of the rows, so append() and finish() throw ConfigError.
  void append(const CodeBatchView& rows);
  /// Puts the file in place and returns its line of the manifest. Must be called once; a writer that is
  /// destroyed before that leaves nothing behind.
  ManifestShard finish(Flush flush = Flush::now);

 private:
  void require_unfinished() const;
  void pack_runs(const CodeBatchView& rows);
  void add_runs();

  std::shared_ptr<const CodeLayout> layout_;
  std::string file_;
  SectionWriter writer_;
  std::uint64_t num_rows_ = 0;
  bool is_finished_ = false;
  bool is_incomplete_ = false;  // after a failed append()
  CodeBatch waiting_;           // all slots except codes
  std::vector<std::uint64_t> run_ends_;
  TempFile runs_;
  std::vector<std::byte> new_runs_;  // of the rows that are being appended, as are the next two
  std::vector<std::uint64_t> new_run_ends_;
  std::vector<std::uint32_t> columns_;
};

}  // namespace widehash
