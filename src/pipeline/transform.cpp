#include "block_rows.hpp"
#include "buffer_pool.hpp"
#include "input_blocks.hpp"
#include "rejected_rows.hpp"
#include "row_rules.hpp"
#include "transform_journal.hpp"

#include <widehash/block_text.hpp>
#include <widehash/checksum.hpp>
#include <widehash/dataset.hpp>
#include <widehash/encoder.hpp>
#include <widehash/error.hpp>
#include <widehash/file.hpp>
#include <widehash/ingest.hpp>
#include <widehash/shard_writer.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

namespace widehash {
namespace fs = std::filesystem;
namespace {

// What a thread needs for a block; reused, so that memory is taken once and not grown anew for every block.
struct EncodeBuffers {
  CodeBatch batch;
  TileBuffers tiles;
  EncodeScratch scratch;
};

struct EncodedBlock {
  InputBlock input;
  std::uint64_t rows_read = 0;
  bool resumed = false;
  JournalEntry entry;
};

// Codes are checked and written while they are in the second cache.
constexpr std::size_t write_bytes = std::size_t{128} << 10;
// What a row's ragged run may take; also keeps a row of nothing else from counting as none.
constexpr std::size_t ragged_row_bytes = 16;

std::string shard_name(std::size_t input, std::uint64_t block) {
  return fmt::format("part-{:05}-{:06}.shard", input, block);
}

class Transform {
 public:
  Transform(const SchemaSource& schema, const TransformOptions& options, const ProgressCallback& progress)
      : schema_(schema),
        options_(options),
        progress_(progress),
        inputs_(expand_inputs(options.inputs)),
        rules_(schema.schema),
        encoder_(schema.schema, options.tables_directory),
        rejected_(options.max_bad_rows, options.output_directory + "/rejected.tsv"),
        rows_read_(inputs_.size(), 0),
        rejected_of_(inputs_.size(), 0) {}

  TransformReport run() {
    make_directories(options_.output_directory);
    const DirectoryLock lock(options_.output_directory);
    if (options_.overwrite) clear_directory();
    if (const auto report = finished_report()) return *report;
    journal_.emplace(options_.output_directory,
                     TransformJournal::Identity{encoder_.fingerprint(), options_.block_bytes, inputs_});
    remove_leftovers();
    write_text_file(options_.output_directory + "/schema.toml", schema_.toml);
    InputBlocks blocks(schema_.schema, rules_, inputs_, options_.block_bytes, true);
    ordered_pipeline<EncodedBlock>(
        blocks_in_flight(), [&] { return produce(blocks); }, [&](EncodedBlock& block) { encode(block); },
        [&](EncodedBlock& block) { commit(block, blocks); });
    return finish(blocks);
  }

 private:
  // The text of a block and what waits until its codes are written, times this many blocks, stay within the
  // budget.
  std::size_t blocks_in_flight() const {
    const auto& layout = *encoder_.layout();
    // Two bytes of text a value and a delimiter are about as short as real rows get; 4 more slots stand for
    // ragged runs.
    const double row_bytes =
        static_cast<double>(layout.fixed_row_bytes() - layout.code_stride * sizeof(std::uint16_t)) +
        (layout.has_ragged ? 8.0 + 16.0 * static_cast<double>(schema_.schema.features.size()) : 0.0);
    const double text_bytes =
        3.0 * static_cast<double>(std::max<std::size_t>(rules_.field_names().size(), 1));
    const double block_memory = static_cast<double>(options_.block_bytes) * (1.0 + row_bytes / text_bytes);
    const auto fitting = static_cast<std::size_t>(static_cast<double>(options_.memory_bytes) / block_memory);
    if (fitting == 0) {
      throw ConfigError(
          fmt::format("a block of {} bytes needs about {:.0f} bytes of memory and --memory allows {}; raise "
                      "--memory or lower --block-bytes",
                      options_.block_bytes, block_memory, options_.memory_bytes));
    }
    return std::min(fitting, current_threads() + 2);
  }

  // A dataset that is already whole: the same one is a success, another one is not touched.
  std::optional<TransformReport> finished_report() {
    if (!file_exists(options_.output_directory + "/manifest.json")) {
      refuse_foreign_folder();
      return std::nullopt;
    }
    const Manifest manifest = load_manifest(options_.output_directory);
    const bool same = manifest.schema_fingerprint == encoder_.fingerprint().schema &&
                      manifest.tables_fingerprint == encoder_.fingerprint().tables &&
                      manifest.block_bytes == options_.block_bytes &&
                      manifest.inputs.size() == inputs_.size() &&
                      std::equal(inputs_.begin(), inputs_.end(), manifest.inputs.begin(),
                                 [](const Input& input, const ManifestInput& there) {
                                   return input.path == there.path && !input.is_stream &&
                                          input.size_bytes == there.size_bytes;
                                 });
    if (!same) {
      throw ConfigError(
          fmt::format("{}: already holds a dataset of another schema, tables, inputs or block size; choose "
                      "another folder, or give --overwrite",
                      options_.output_directory));
    }
    std::error_code ignored;
    fs::remove(TransformJournal::path_in(options_.output_directory), ignored);
    report_.already_complete = true;
    report_.resumed_shards = manifest.shards.size();
    if (manifest.rejected_rows > 0) report_.rejected_file = options_.output_directory + "/rejected.tsv";
    fill_report(manifest);
    return report_;
  }

  // Files that no transform wrote are somebody's; shards would be mixed among them.
  void refuse_foreign_folder() const {
    if (file_exists(TransformJournal::path_in(options_.output_directory))) return;
    for (const auto& entry : fs::directory_iterator(options_.output_directory)) {
      const std::string name = entry.path().filename().string();
      if (name.ends_with(".shard")) {
        throw ConfigError(
            fmt::format("{}: holds shards ({}) without a manifest or a journal to carry on from; choose an "
                        "empty folder, or give --overwrite",
                        options_.output_directory, name));
      }
    }
  }

  void clear_directory() const {
    // The manifest goes first: a dataset half removed must not look whole.
    std::error_code ignored;
    for (const char* name : {"manifest.json", "progress.jsonl", "schema.toml", "rejected.tsv"}) {
      fs::remove(fs::path(options_.output_directory) / name, ignored);
    }
    for (const auto& entry : fs::directory_iterator(options_.output_directory)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("part-") && (name.ends_with(".shard") || name.ends_with(".shard.tmp"))) {
        fs::remove(entry.path(), ignored);
      }
    }
  }

  // Shards written but not yet in the journal, and files written aside, are of no use to the run that starts
  // now.
  void remove_leftovers() const {
    std::vector<std::string> known;
    for (const JournalEntry& entry : journal_->entries()) {
      if (entry.shard) known.push_back(entry.shard->file);
    }
    std::sort(known.begin(), known.end());
    for (const auto& entry : fs::directory_iterator(options_.output_directory)) {
      const std::string name = entry.path().filename().string();
      const bool is_ours = name.starts_with("part-") || name == "rejected.tsv.tmp";
      const bool unknown_shard =
          name.ends_with(".shard") && !std::binary_search(known.begin(), known.end(), name);
      std::error_code ignored;
      if (is_ours && (unknown_shard || name.ends_with(".tmp"))) fs::remove(entry.path(), ignored);
    }
  }

  std::shared_ptr<EncodedBlock> produce(InputBlocks& blocks) {
    auto item = std::make_shared<EncodedBlock>();
    if (auto text = texts_.take()) item->input.block.bytes = std::move(*text);
    if (!blocks.next(item->input)) return nullptr;
    // The order of blocks is that of the journal, so its next entry is this block's or there is none.
    if (produced_ < journal_->entries().size()) {
      item->entry = journal_->entries()[produced_];
      item->resumed = true;
    }
    ++produced_;
    return item;
  }

  void encode(EncodedBlock& block) {
    auto buffers = buffers_.take();
    if (buffers == nullptr) {
      buffers = std::make_unique<EncodeBuffers>(EncodeBuffers{CodeBatch(encoder_.layout()), {}, {}});
    }
    if (block.resumed) {
      compare_with_entry(block, buffers->tiles.text);
    } else {
      write_block(block, *buffers);
    }
    buffers_.give(std::move(buffers));
  }

  void compare_with_entry(EncodedBlock& block, std::string& buffer) const {
    ChecksumStream text_sum;
    BlockText text(block.input.block, buffer);
    for (auto rows = text.next(); !rows.empty(); rows = text.next())
      text_sum.add(std::as_bytes(std::span(rows)));
    if (block.entry.text_checksum != text_sum.value() || block.entry.input != block.input.input ||
        block.entry.block != block.input.block.index) {
      throw ConfigError(
          fmt::format("{}: has changed since the run that is being carried on in {}; give --overwrite to "
                      "start anew",
                      inputs_[block.input.input].path, options_.output_directory));
    }
    const std::uint64_t written = block.entry.shard ? block.entry.shard->rows : 0;
    block.rows_read = written + block.entry.rejected.size();
  }

  void write_block(EncodedBlock& block, EncodeBuffers& buffers) const {
    JournalEntry& entry = block.entry;
    entry.input = block.input.input;
    entry.block = block.input.block.index;
    ChecksumStream text_sum;
    std::optional<ShardWriter> shard;
    const auto write_rows = [&] {
      if (buffers.batch.num_rows() == 0) return;
      if (!shard) {
        shard.emplace(encoder_.layout(), encoder_.fingerprint(), options_.output_directory,
                      shard_name(entry.input, entry.block));
      }
      shard->append(buffers.batch.view());
      buffers.batch.clear();
    };
    buffers.batch.clear();
    const std::size_t rows_per_write =
        write_bytes / (encoder_.layout()->fixed_row_bytes() + ragged_row_bytes) + 1;
    block.rows_read = for_each_tile(
        dialect_of(schema_.schema), block.input, inputs_[entry.input].path, options_.max_bad_rows,
        buffers.tiles, entry.rejected,
        [&](const RowsView& rows, std::vector<EncodeIssue>& issues) {
          encoder_.encode(rows, *block.input.binding, buffers.batch, issues, buffers.scratch);
          if (buffers.batch.num_rows() >= rows_per_write) write_rows();
        },
        &text_sum);
    write_rows();
    entry.text_checksum = text_sum.value();
    // A block with too many bad rows ends the run when it is committed; its shard would be of no use.
    if (shard && entry.rejected.size() <= options_.max_bad_rows) entry.shard = shard->finish();
  }

  void commit(EncodedBlock& block, InputBlocks& blocks) {
    if (block.resumed) {
      std::vector<RejectedRow> known;  // with their lines
      blocks.settle(block.input, known);
    } else {
      blocks.settle(block.input, block.entry.rejected);
    }
    for (const RejectedRow& row : block.entry.rejected) rejected_.add(row);
    if (!block.resumed) journal_->append(block.entry);
    rows_read_[block.input.input] += block.rows_read;
    rejected_of_[block.input.input] += block.entry.rejected.size();
    report_.text_bytes += block.input.block.num_bytes;
    if (block.resumed && block.entry.shard) ++report_.resumed_shards;
    if (block.entry.shard) manifest_.shards.push_back(*block.entry.shard);
    rows_done_ += block.rows_read;
    texts_.give(std::make_unique<std::string>(std::move(block.input.block.bytes)));
    if (progress_) progress_({rows_done_, block.input.bytes_done, blocks.bytes_total()});
  }

  // Every row that the raw bytes hold must have come out of the parser, good or bad.
  void reconcile(const InputBlocks& blocks) const {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (rows_read_[i] == blocks.rows_counted(i)) continue;
      throw DataError(
          inputs_[i].path, 0,
          fmt::format("{} rows were read but its bytes hold {}; the dataset is not written: this is an error "
                      "of the program, please report it with the file",
                      rows_read_[i], blocks.rows_counted(i)));
    }
  }

  TransformReport finish(const InputBlocks& blocks) {
    if (produced_ < journal_->entries().size()) {
      throw ConfigError(
          fmt::format("{}: is shorter than in the run that is being carried on in {}; give --overwrite to "
                      "start anew",
                      inputs_.back().path, options_.output_directory));
    }
    reconcile(blocks);
    rejected_.finish();
    manifest_.schema_fingerprint = encoder_.fingerprint().schema;
    manifest_.tables_fingerprint = encoder_.fingerprint().tables;
    manifest_.head_columns = encoder_.head_columns();
    manifest_.num_columns = encoder_.layout()->num_columns;
    manifest_.block_bytes = options_.block_bytes;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      manifest_.inputs.push_back({inputs_[i].path, inputs_[i].size_bytes, rows_read_[i], rejected_of_[i]});
      manifest_.rejected_rows += rejected_of_[i];
    }
    for (const ManifestShard& shard : manifest_.shards) manifest_.rows += shard.rows;
    write_manifest(manifest_, options_.output_directory);
    journal_->remove();
    report_.rejected_file = rejected_.written_path();
    fill_report(manifest_);
    return report_;
  }

  void fill_report(const Manifest& manifest) {
    report_.rows = manifest.rows;
    report_.rejected_rows = manifest.rejected_rows;
    report_.shards = manifest.shards.size();
    report_.num_columns = manifest.num_columns;
    for (const ManifestInput& input : manifest.inputs) report_.input_bytes += input.size_bytes;
    for (const ManifestShard& shard : manifest.shards) report_.output_bytes += shard.bytes;
  }

  const SchemaSource& schema_;
  const TransformOptions& options_;
  const ProgressCallback& progress_;
  std::vector<Input> inputs_;
  RowRules rules_;
  Encoder encoder_;
  RejectedRows rejected_;
  std::optional<TransformJournal> journal_;
  BufferPool<EncodeBuffers> buffers_;
  BufferPool<std::string> texts_;
  std::size_t produced_ = 0;
  std::uint64_t rows_done_ = 0;
  std::vector<std::uint64_t> rows_read_;
  std::vector<std::uint64_t> rejected_of_;
  Manifest manifest_;
  TransformReport report_;
};

}  // namespace

TransformReport transform(const SchemaSource& schema, const TransformOptions& options,
                          const ProgressCallback& progress) {
  return Transform(schema, options, progress).run();
}

}  // namespace widehash
