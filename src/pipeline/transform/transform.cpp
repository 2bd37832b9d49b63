#include "dataset_folder.hpp"
#include "dataset_replacement.hpp"
#include "encode/row_rules.hpp"
#include "encoded_rows.hpp"
#include "ingest/ingest_ledger.hpp"
#include "ingest/ingest_run.hpp"
#include "ingest/input_headers.hpp"
#include "ingest/shared_folder.hpp"
#include "ingest/shared_inputs.hpp"
#include "shard_encoder.hpp"
#include "transform_identity.hpp"
#include "transform_journal.hpp"
#include "transform_memory.hpp"
#include "transform_output.hpp"
#include "unflushed_shards.hpp"

#include <widehash/encoder.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/internal/read_places.hpp>
#include <widehash/internal/shared_stop.hpp>
#include <widehash/internal/shared_text.hpp>
#include <widehash/table_set.hpp>
#include <widehash/threads.hpp>
#include <widehash/transform.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace widehash {
namespace {

/// Returns the code bytes of the unfinished run, in the folder or beside a dataset that is gone, that this
/// one may carry on.
CodeBytes code_bytes_begun(const std::string& directory) {
  const std::string aside = replacement_folder(directory);
  const bool is_aside = !has_finished_dataset(directory) && file_exists(TransformJournal::path_in(aside));
  return TransformJournal::code_bytes_in(is_aside ? aside : directory);
}

// Rank 0 looks at the folder, and all ranks must write the same.
CodeBytes shared_code_bytes(Communicator& communicator, const TransformOptions& options) {
  const auto begun = [&](CodeBytes code_bytes) {
    return rank_0_says(communicator, [&] {
      return !options.overwrite && code_bytes_begun(options.output_directory) == code_bytes;
    });
  };
  // Both are asked whatever the options are, which may differ on other ranks: that is found later.
  const bool has_two = begun(CodeBytes::two);
  const bool has_least = begun(CodeBytes::least);
  // Versions with codes of two bytes have no folds.
  if (has_two && options.folds.take_all()) return CodeBytes::two;
  return has_least ? CodeBytes::least : CodeBytes::least_in_runs;
}

/// Returns whether a run in the folder has shards to continue from. The disk may just have failed: where it
/// cannot be read, the answer is no.
bool keeps_work(const std::string& directory) {
  std::error_code ignored;
  if (!std::filesystem::exists(TransformJournal::path_in(directory), ignored)) return false;
  std::filesystem::directory_iterator item(directory, ignored);
  for (const std::filesystem::directory_iterator end; !ignored && item != end; item.increment(ignored)) {
    if (is_shard_name(item->path().filename().string())) return true;
  }
  return false;
}

/// One rank's part in a transform. Every rank walks over the inputs and encodes the blocks dealt to it. Rank
/// 0 also keeps the output folder with its journal, and the ledger, and writes the manifest.
class Transform {
 public:
  Transform(const SchemaSource& schema, const TransformOptions& options, const ProgressCallback& progress,
            Communicator& communicator)
      : schema_(with_own_text(schema)),
        options_(options),
        communicator_(communicator),
        inputs_(shared_inputs(communicator, options.inputs)),
        rules_(schema_.schema, {}, options.folds),
        encoder_(schema_.schema, options.tables_directory, shared_code_bytes(communicator, options)),
        identity_{encoder_.fingerprint(), options.block_bytes, signs_of(inputs_), encoder_.code_bytes(),
                  options.folds},
        progress_(progress),
        output_(schema_, options, inputs_, identity_),
        folder_(options.output_directory) {}

  RunEnd<TransformReport> run() {
    std::string stopped = encode_and_write();
    return {std::move(report_), std::move(stopped)};
  }

 private:
  // Returns how to continue where the run was asked to stop; otherwise empty.
  std::string encode_and_write() {
    report_.is_main = is_main();
    refuse_own_inputs();
    divide_memory();
    require_headers(run_inputs());
    require_same(communicator_, to_line(identity_),
                 "the inputs, the schema, the tables, the folds and the block size");
    require_same(communicator_, fmt::format("{}", options_.max_bad_rows), "--max-bad-rows");
    if (is_there_already()) return {};
    std::string stopped;
    held_.emplace(communicator_, options_.output_directory);
    if (begin()) {
      encode_blocks();
      if (stop_is_asked(communicator_, options_.stop)) {
        stopped = how_it_stopped();
      } else if (is_main()) {
        finish();
      }
    }
    held_->leave();
    return stopped;
  }

  bool is_main() const noexcept { return communicator_.rank() == 0; }

  RunInputs run_inputs() const {
    return {.schema = schema_.schema,
            .rules = rules_,
            .inputs = inputs_,
            .block_bytes = options_.block_bytes,
            .allow_empty = options_.allow_empty,
            .stop = options_.stop};
  }

  void refuse_own_inputs() const {
    ReadPlaces read = places_of(inputs_);
    if (!options_.tables_directory.empty()) read.folders.push_back(tables_folder(options_.tables_directory));
    require_folder_apart(options_.output_directory, is_dataset_file, read);
  }

  void divide_memory() {
    if (options_.block_bytes == 0) throw ConfigError("blocks of 0 bytes hold no rows; raise --block-bytes");
    const BlockMemory block =
        transform_block_memory(*encoder_.layout(), rules_.field_names().size(), options_.block_bytes);
    memory_ = divide_transform_memory(options_.memory_bytes, current_threads(), options_.block_bytes, block);
  }

  bool is_there_already() {
    return rank_0_says(communicator_, [this] {
      const std::optional<Manifest> found = output_.find_finished();
      if (found) report_finished(*found);
      return found.has_value();
    });
  }

  // Returns false where the dataset is already whole. Rank 0 decides, and tells the others where the dataset
  // is made and what is already finished.
  bool begin() {
    const bool is_finished = rank_0_says(communicator_, [this] {
      const std::optional<Manifest> found = output_.open();
      if (found) report_finished(*found);
      return found.has_value();
    });
    if (is_finished) return false;
    if (rank_0_says(communicator_, [this] { return output_.is_aside(); }))
      folder_ = replacement_folder(options_.output_directory);
    std::string entries = is_main() ? to_text({output_.journal().entries(), {}}) : "";
    share_text(communicator_, entries);
    for (BlockReport& entry : parse_news(entries).blocks) {
      const std::pair at(entry.counts.input, entry.block);
      not_met_.insert(at);
      known_.emplace(at, std::move(entry));
    }
    // Only the ranks that wrote shards can flush them, so other ranks must do so before they report them.
    const bool small_ones_wait = communicator_.size() == 1;
    shards_.emplace(schema_.schema, encoder_, inputs_, folder_, options_.max_bad_rows, small_ones_wait);
    if (small_ones_wait) unflushed_.emplace(folder_, output_.journal());
    const std::string rejected = in_folder(folder_, rejected_name);
    ledger_.emplace(inputs_, RejectedRows(options_.max_bad_rows, rejected, rejected), progress_,
                    [this](const BlockReport& report) { keep(report); });
    return true;
  }

  // Encodes the blocks of this rank.
  void encode_blocks() {
    const BlockLimits limits{.in_flight = memory_.in_flight, .in_memory = memory_.in_memory};
    try {
      ingest_blocks(
          communicator_, run_inputs(), limits, *ledger_, [this](InputBlock& block) { return encode(block); },
          [this](RunNews news) { take(std::move(news)); });
    } catch (...) {
      keep_finished();
      throw;
    }
    if (unflushed_) unflushed_->flush();
  }

  // Keeps finished shards for the run that continues from here. Where the disk is the problem, that run
  // writes them again.
  void keep_finished() noexcept {
    try {
      if (unflushed_) unflushed_->flush();
    } catch (...) {  // what ended the run matters more
    }
  }

  BlockReport encode(InputBlock& block) {
    const auto known = known_.find(std::pair(block.input, block.block.index));
    return known == known_.end() ? shards_->write(block) : shards_->compare(block, known->second);
  }

  std::string how_it_stopped() const {
    if (!is_main()) return options_.output_directory + ": stopped as asked";
    return fmt::format("{}: stopped as asked with {} shard{} finished; the same command continues from there",
                       options_.output_directory, finished_shards_, finished_shards_ == 1 ? "" : "s");
  }

  // Runs on rank 0, for the blocks of all ranks as they arrive.
  void take(RunNews news) {
    for (BlockReport& block : news.blocks) {
      if (block.shard) ++finished_shards_;
      if (block.resumed) block.rejected = output_.journal().rejected_rows(block.counts.input, block.block);
      // The shard of a lost block is not finished, so no later run may take the block as done.
      const bool is_lost = block.rejected.size() > options_.max_bad_rows;
      if (block.resumed || is_lost) continue;
      // Rejected rows may be too many to hold them twice.
      if (unflushed_ && shards_->waits_for_disk(block)) {
        unflushed_->add(block);
        if (!block.rejected.empty()) unflushed_->flush();
      } else {
        output_.journal().append(block);
      }
    }
    ledger_->take(std::move(news));
  }

  // Runs in the order of the inputs.
  void keep(const BlockReport& block) {
    if (block.resumed) {
      not_met_.erase(std::pair(block.counts.input, block.block));
      report_.resumed_rows += block.shard ? block.shard->rows : 0;
    }
    if (!block.shard) return;
    if (block.resumed) ++report_.resumed_shards;
    written_.push_back(*block.shard);
  }

  void finish() {
    if (!not_met_.empty()) {
      throw ConfigError(
          fmt::format("{}: is shorter than in the run being resumed in {}; give --overwrite to start over",
                      inputs_[not_met_.begin()->first].name(), folder_));
    }
    ledger_->finish("the dataset is not written");
    Manifest manifest = manifest_without_rows(encoder_, schema_.toml);
    manifest.block_bytes = options_.block_bytes;
    manifest.folds = options_.folds;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      manifest.inputs.push_back({identity_.inputs[i].path, inputs_[i].size_bytes, ledger_->rows_read(i),
                                 ledger_->rejected_rows(i), identity_.inputs[i].sample,
                                 ledger_->other_fold_rows(i)});
    }
    manifest.shards = std::move(written_);
    manifest.rejected_rows = ledger_->rejected_rows();
    for (const ManifestInput& input : manifest.inputs) manifest.other_fold_rows += input.other_fold_rows;
    for (const ManifestShard& shard : manifest.shards) manifest.rows += shard.rows;
    output_.finish(manifest);
    report_.text_bytes = ledger_->text_bytes();
    if (ledger_->rejected_rows() > 0)
      report_.rejected_file = in_folder(options_.output_directory, rejected_name);
    fill_report(manifest);
  }

  void report_finished(const Manifest& manifest) {
    report_.already_complete = true;
    report_.resumed_shards = manifest.shards.size();
    report_.resumed_rows = manifest.rows;
    report_.rejected_file = kept_list(options_.output_directory, manifest.rejected_rows);
    fill_report(manifest);
  }

  void fill_report(const Manifest& manifest) {
    report_.rows = manifest.rows;
    report_.rejected_rows = manifest.rejected_rows;
    report_.other_fold_rows = manifest.other_fold_rows;
    report_.shards = manifest.shards.size();
    report_.num_columns = manifest.num_columns;
    for (const ManifestInput& input : manifest.inputs) report_.input_bytes += input.size_bytes;
    report_.output_bytes = manifest.num_bytes();
  }

  const SchemaSource schema_;
  const TransformOptions& options_;
  Communicator& communicator_;
  std::vector<Input> inputs_;
  RowRules rules_;
  Encoder encoder_;
  TransformIdentity identity_;
  const ProgressCallback& progress_;
  TransformMemory memory_;
  std::optional<SharedFolder> held_;  // released when nothing here can write to it any more
  TransformOutput output_;            // kept by rank 0
  std::string folder_;                // where the dataset is made
  std::optional<ShardEncoder> shards_;
  std::optional<UnflushedShards> unflushed_;  // where this process works alone
  std::optional<IngestLedger> ledger_;
  std::map<std::pair<std::size_t, std::uint64_t>, BlockReport> known_;  // blocks finished by an earlier run
  std::set<std::pair<std::size_t, std::uint64_t>> not_met_;             // of these, kept by rank 0
  std::uint64_t finished_shards_ = 0;                                   // of all ranks, in any order
  std::vector<ManifestShard> written_;                                  // in the order of their blocks
  TransformReport report_;
};

}  // namespace

TransformReport transform(const SchemaSource& schema, const TransformOptions& options,
                          const ProgressCallback& progress) {
  try {
    return run_in_all_processes(
        [&](Communicator& communicator) { return Transform(schema, options, progress, communicator).run(); });
  } catch (const FileError& error) {
    const std::string& directory = options.output_directory;
    if (!keeps_work(directory) && !keeps_work(replacement_folder(directory))) throw;
    throw error.when_full("finished work is kept");
  }
}

}  // namespace widehash
