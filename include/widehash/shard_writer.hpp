#pragma once

/// \file
/// Writes a shard batch by batch: the codes go to the file as they come, so that a shard of any size is
/// written in little memory. Sections of a file follow one another, so the other slots of the rows (4 to 8
/// bytes each) wait in memory for finish(), and the columns of ragged runs, of which a row may have any number, in a
/// nameless file beside the shard where they are many.

#include <widehash/code_batch.hpp>
#include <widehash/internal/temp_file.hpp>
#include <widehash/shard.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace widehash {

class ShardWriter {
 public:
  /// Columns of ragged runs that wait in memory, in bytes.
  static constexpr std::size_t ragged_memory = std::size_t{4} << 20;

  /// Begins `directory/file` aside. Throws FileError.
  ShardWriter(std::shared_ptr<const CodeLayout> layout, const std::string& directory, std::string file);

  /// Appends rows. Throws ShapeError where they are of another layout; ConfigError behind finish(); FileError.
  void append(const CodeBatchView& rows);
  /// Puts the file in place and returns its line of the manifest. To be called once; a writer that is
  /// destroyed before leaves nothing behind.
  ManifestShard finish(Flush flush = Flush::now);

 private:
  void require_unfinished() const;
  void add_ragged();

  std::shared_ptr<const CodeLayout> layout_;
  std::string file_;
  SectionWriter writer_;
  std::uint64_t num_rows_ = 0;
  bool is_finished_ = false;
  CodeBatch waiting_;  // the slots of all rows but their codes and the columns of ragged runs
  TempFile ragged_;    // these
};

}  // namespace widehash
