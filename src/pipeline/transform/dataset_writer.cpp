#include "dataset_folder.hpp"
#include "dataset_replacement.hpp"
#include "encode/table_encoder.hpp"
#include "encode/tile_limit.hpp"
#include "encoded_rows.hpp"
#include "ingest/made_folder.hpp"
#include "ingest/rejected_rows.hpp"

#include <widehash/dataset_writer.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/internal/own_process.hpp>
#include <widehash/rows_in_layout.hpp>
#include <widehash/shard_writer.hpp>

#include <algorithm>
#include <filesystem>
#include <future>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace widehash {
namespace {

// Enough rows for all threads, yet few enough that their codes are soon on disk and do not burden memory.
constexpr std::size_t most_rows_at_once = std::size_t{1} << 16;
constexpr std::size_t fewest_rows_at_once = 1024;
constexpr std::size_t bytes_at_once = std::size_t{64} << 20;
// Rows that set any number of columns are copied more than once on their way to disk.
constexpr std::size_t ragged_bytes_at_once = std::size_t{16} << 20;
constexpr std::size_t fewest_ragged_rows = 32;
// For rows that may take a megabyte each, of which a tile has 32.
constexpr std::size_t tiles_at_once_of_crosses = 8;

std::uint64_t bytes_of_shards(const DatasetWriterOptions& options) {
  if (options.shard_bytes == 0) throw ConfigError("shards of 0 bytes hold no rows; raise shard_bytes");
  return options.shard_bytes;
}

/// Returns where the dataset is made: beside the one that it is to replace, if any. Requires that the folder is locked.
std::string place_of(const std::string& directory, bool overwrite, std::string_view schema_toml) {
  refuse_tables(directory);
  finish_replacement(directory, overwrite);
  if (!overwrite) require_no_dataset(directory, schema_toml);
  drop_replacement(directory);
  return has_finished_dataset(directory) ? replacement_folder(directory) : directory;
}

}  // namespace

class DatasetWriter::Impl : public OwnProcess {
 public:
  Impl(const Encoder& encoder, const DatasetWriterOptions& options)
      : encoder_(encoder),
        directory_(fixed_path(options.output_directory)),
        shard_bytes_(bytes_of_shards(options)),
        row_bytes_(usual_row_bytes(*encoder.layout())),
        most_rows_(tiles_at_once_of_crosses *
                   std::min(most_tile_rows(encoder.schema()), most_rows_at_once / tiles_at_once_of_crosses)),
        rows_at_once_(encoder.layout()->has_ragged
                          ? (most_rows_ < most_rows_at_once ? fewest_ragged_rows : fewest_rows_at_once)
                          : rows_of_bytes(row_bytes_)),
        folder_(directory_),
        lock_(directory_),
        place_(place_of(directory_, options.overwrite, to_toml(encoder.schema()))),
        made_place_(place_),
        clears_(options.overwrite && place_ == directory_),
        rejected_(options.max_bad_rows, in_folder(place_, rejected_name), in_folder(place_, rejected_name)),
        batch_(encoder.layout()),
        batch_at_work_(encoder.layout()) {}

  TableEncoder encoder_of(const ColumnTable& table) const {
    return {encoder_, table, encoder_.bind(table, true)};
  }
  /// Writes each run of rows while the next one is encoded.
  void append(const TableEncoder& table, std::size_t num_rows) {
    for (std::size_t row = 0; row < num_rows;) {
      const std::size_t count = std::min(rows_at_once_, num_rows - row);
      encode(table, row, count);
      row += count;
      if (encoder_.layout()->has_ragged) choose_rows_at_once();
      wait();
      if (batch_.num_rows() > 0) clear_old();
      std::swap(batch_, batch_at_work_);
      write_beside();
    }
    rows_read_ += num_rows;
  }

  void check(const CodeBatchView& rows, std::span<const EncodeIssue> rejected) const {
    if (rows.layout == nullptr || rows.layout->fingerprint != encoder_.fingerprint()) {
      throw ShapeError("the rows were encoded with another schema or other tables than this dataset");
    }
    check_batch(rows, memory_source);
    const auto falls = std::ranges::adjacent_find(
        rejected, [](const EncodeIssue& a, const EncodeIssue& b) { return b.row <= a.row; });
    if (falls == rejected.end()) return;
    throw ShapeError(
        fmt::format("rejected row {} comes after row {}; rejected rows must be in order, and each call of "
                    "encode() counts its rows from 0",
                    std::next(falls)->row, falls->row));
  }
  void append(const CodeBatchView& rows, std::span<const EncodeIssue> rejected) {
    if (!same_layout(*rows.layout, *encoder_.layout()))
      return append(rows_in_layout(rows, encoder_.layout()).view(), rejected);
    reject(rejected);
    wait();
    if (rows.num_rows > 0) clear_old();
    write_rows(rows);
    rows_read_ += rows.num_rows + rejected.size();
  }

  Manifest finish() {
    wait();
    clear_old();
    if (shard_) finish_shard();
    rejected_.finish();
    const std::string toml = to_toml(encoder_.schema());
    write_text_file(in_folder(place_, schema_name), toml);
    Manifest manifest = manifest_without_rows(encoder_, toml);
    manifest.inputs = {{memory_source, 0, rows_read_, rejected_.count(), 0}};
    manifest.shards = shards_;
    manifest.rows = rows_read_ - rejected_.count();
    manifest.rejected_rows = rejected_.count();
    write_manifest(manifest, place_);
    is_whole_ = true;
    if (place_ != directory_) replace_dataset(directory_);
    return manifest;
  }

  /// Keeps `rejected.tsv`, which may say why. Keeps everything of a whole dataset, which waits to be put in
  /// place where that has failed.
  void remove_shards() noexcept {
    if (is_whole_) return;
    if (writing_.valid()) writing_.wait();
    shard_.reset();
    std::error_code ignored;
    // The manifest may exist where flushing it failed.
    std::filesystem::remove(in_folder(place_, manifest_name), ignored);
    if (place_ != directory_) std::filesystem::remove(in_folder(place_, schema_name), ignored);
    for (const ManifestShard& shard : shards_) {
      std::filesystem::remove(std::filesystem::path(place_) / shard.file, ignored);
    }
  }

 private:
  static std::size_t rows_of_bytes(std::size_t row_bytes) {
    return std::clamp<std::size_t>(bytes_at_once / std::max<std::size_t>(row_bytes, 1), fewest_rows_at_once,
                                   most_rows_at_once);
  }
  /// The length of rows that set any number of columns is known only from earlier rows. Takes at most twice
  /// as many rows as before, so that memory grows no faster than what is known about them.
  void choose_rows_at_once() {
    const std::size_t num_rows = std::max<std::size_t>(batch_.num_rows(), 1);
    const std::size_t row_bytes = row_bytes_ + batch_.ragged.size() * sizeof batch_.ragged[0] / num_rows;
    const std::size_t wanted = std::max(ragged_bytes_at_once / row_bytes, fewest_ragged_rows);
    rows_at_once_ = std::min({wanted, 2 * rows_at_once_, most_rows_});
  }
  void encode(const TableEncoder& table, std::size_t begin, std::size_t count) {
    batch_.clear();
    issues_.clear();
    table.encode(begin, count, batch_, issues_);
    reject(issues_);
  }
  void reject(std::span<const EncodeIssue> issues) {
    for (const EncodeIssue& issue : issues) {
      rejected_.add({memory_source, rows_read_ + issue.row + 1, issue.reason, {}});
    }
  }
  /// Runs on the appending thread before the first rows are written: what an unfinished run has left must be
  /// gone by then.
  void clear_old() {
    if (std::exchange(clears_, false)) clear_dataset(directory_);
  }

  /// Waits for the rows that are being written. Throws what writing them has thrown.
  void wait() {
    if (writing_.valid()) writing_.get();
  }
  /// Writes batch_at_work_, on a thread of its own where the system provides one.
  void write_beside() {
    const auto write = [this] { write_rows(batch_at_work_.view()); };
    try {
      writing_ = std::async(std::launch::async, write);
    } catch (const std::system_error&) {
      write();
    }
  }
  void write_rows(const CodeBatchView& rows) {
    for (std::size_t row = 0; row < rows.num_rows;) {
      if (!shard_) begin_shard();
      const std::size_t count = take_rows(rows, row);
      if (count > 0) shard_->append(rows.rows(row, count));
      row += count;
      if (row < rows.num_rows) finish_shard();
    }
  }
  /// Returns how many rows from `row` on the current shard takes: as many as it has room for. Each shard
  /// takes at least one row. Where a shard ends thus depends on the rows alone.
  std::size_t take_rows(const CodeBatchView& rows, std::size_t row) {
    const std::size_t first = row;
    for (; row < rows.num_rows; ++row) {
      const std::uint64_t bytes = row_bytes_ + ragged_bytes(rows, row);
      if (taken_bytes_ > 0 && bytes > shard_bytes_ - std::min(taken_bytes_, shard_bytes_)) break;
      taken_bytes_ += bytes;
    }
    return row - first;
  }
  /// Returns about how many bytes the run of a row takes in a shard.
  static std::uint64_t ragged_bytes(const CodeBatchView& rows, std::size_t row) {
    constexpr std::uint64_t column_bytes = 2;  // of a code of two bytes, packed
    if (rows.ragged_offsets.empty()) return 0;
    const std::uint64_t items = rows.ragged_offsets[row + 1] - rows.ragged_offsets[row];
    return rows.has_packed_runs() ? items : items * column_bytes;
  }
  void begin_shard() {
    shard_.emplace(encoder_.layout(), place_, shard_name(0, shards_.size()));
    taken_bytes_ = 0;
  }
  void finish_shard() {
    shards_.push_back(shard_->finish());
    shard_.reset();
  }

  const Encoder& encoder_;
  std::string directory_;
  std::uint64_t shard_bytes_;
  std::uint64_t row_bytes_;  // without the ragged run
  std::size_t most_rows_;
  std::size_t rows_at_once_;
  MadeFolder folder_;  // destroyed after everything in it
  DirectoryLock lock_;
  std::string place_;  // where the dataset is made
  MadeFolder made_place_;
  bool clears_;  // whether an unfinished dataset may still be there and has to go
  RejectedRows rejected_;
  CodeBatch batch_;          // the current rows
  CodeBatch batch_at_work_;  // the previous rows, while they are written
  std::vector<EncodeIssue> issues_;
  std::optional<ShardWriter> shard_;
  std::uint64_t taken_bytes_ = 0;  // by the rows of shard_
  std::vector<ManifestShard> shards_;
  bool is_whole_ = false;
  std::uint64_t rows_read_ = 0;  // both written and rejected
  std::future<void> writing_;    // last: its work ends before the other members go
};

DatasetWriter::DatasetWriter(const Encoder& encoder, const DatasetWriterOptions& options)
    : impl_(std::make_unique<Impl>(encoder, options)) {}

DatasetWriter::~DatasetWriter() { discard(); }

DatasetWriter::Impl& DatasetWriter::open() const {
  if (impl_ != nullptr && !impl_->is_here())
    throw ConfigError(
        "this writer belongs to the process that made it and cannot be used in a fork; make another writer "
        "there");
  if (impl_ == nullptr) throw ConfigError("the dataset was finished or discarded; make another writer");
  return *impl_;
}

template <class Write>
auto DatasetWriter::or_discard(const Write& write) {
  try {
    return write(open());
  } catch (...) {
    discard();
    throw;
  }
}

void DatasetWriter::append(const ColumnTable& table) {
  const TableEncoder rows = open().encoder_of(table);
  or_discard([&](Impl& impl) { impl.append(rows, table.num_rows()); });
}

void DatasetWriter::append(const CodeBatchView& rows, std::span<const EncodeIssue> rejected) {
  open().check(rows, rejected);
  or_discard([&](Impl& impl) { impl.append(rows, rejected); });
}

Manifest DatasetWriter::finish() {
  Manifest manifest = or_discard([](Impl& impl) { return impl.finish(); });
  impl_.reset();
  return manifest;
}

void DatasetWriter::discard() noexcept {
  // The copy in a fork is left to the process that made the writer, which owns the files and threads.
  if (impl_ != nullptr && !impl_->is_here()) (void)impl_.release();
  if (impl_ != nullptr) impl_->remove_shards();
  impl_.reset();
}

}  // namespace widehash
