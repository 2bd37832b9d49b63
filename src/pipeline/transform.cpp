#include "block_pipeline.hpp"
#include "dataset_folder.hpp"
#include "dataset_replacement.hpp"
#include "encoded_rows.hpp"
#include "ingest_ledger.hpp"
#include "input_headers.hpp"
#include "news_exchange.hpp"
#include "row_rules.hpp"
#include "shard_encoder.hpp"
#include "shared_folder.hpp"
#include "shared_inputs.hpp"
#include "shared_stop.hpp"
#include "shared_text.hpp"
#include "transform_identity.hpp"
#include "transform_journal.hpp"
#include "transform_memory.hpp"
#include "transform_output.hpp"

#include <widehash/device_team.hpp>
#include <widehash/encoder.hpp>
#include <widehash/error.hpp>
#include <widehash/file.hpp>
#include <widehash/read_places.hpp>
#include <widehash/table_set.hpp>
#include <widehash/threads.hpp>
#include <widehash/transform.hpp>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace widehash {
namespace {

/// Those of the unfinished run, in the folder or beside a dataset that is gone, which this one may carry on.
CodeBytes code_bytes_begun(const std::string& directory) {
  const std::string aside = replacement_folder(directory);
  const bool is_aside = !has_finished_dataset(directory) && file_exists(TransformJournal::path_in(aside));
  return TransformJournal::code_bytes_in(is_aside ? aside : directory);
}

// Rank 0 sees the folder, and all ranks must write the same.
CodeBytes shared_code_bytes(Communicator& communicator, const TransformOptions& options) {
  std::string text = "least";
  if (communicator.rank() == 0 && !options.overwrite &&
      code_bytes_begun(options.output_directory) == CodeBytes::two) {
    text = "two";
  }
  share_text(communicator, text);
  return text == "two" ? CodeBytes::two : CodeBytes::least;
}

std::string rejected_path(const std::string& folder) { return folder + "/rejected.tsv"; }

/// One rank's part in a transform. Every rank walks over the inputs and encodes the blocks dealt to it; rank
/// 0 keeps the output folder with its journal, and the ledger, and writes the manifest.
class Transform {
 public:
  Transform(const SchemaSource& schema, const TransformOptions& options, const ProgressCallback& progress,
            Communicator& communicator)
      : schema_(with_own_text(schema)),
        options_(options),
        communicator_(communicator),
        inputs_(shared_inputs(communicator, options.inputs)),
        rules_(schema_.schema),
        encoder_(schema_.schema, options.tables_directory, shared_code_bytes(communicator, options)),
        identity_{encoder_.fingerprint(), options.block_bytes, signs_of(inputs_), encoder_.code_bytes()},
        progress_(progress),
        output_(schema_, options, inputs_, identity_),
        folder_(options.output_directory) {}

  TransformReport run() {
    report_.is_main = is_main();
    refuse_own_inputs();
    divide_memory();
    require_headers(schema_.schema, rules_, inputs_, true);
    require_same(communicator_, to_line(identity_), "the inputs, the schema, the tables and the block size");
    if (is_there_already()) return report_;
    SharedFolder folder(communicator_, options_.output_directory);
    if (begin()) {
      exchange_news(
          communicator_, [this](const TellNews& tell) { encode_blocks(tell); },
          [this](RunNews news) { take(std::move(news)); });
      if (stop_is_asked(communicator_, options_.stop)) {
        stopped_ = how_it_stopped();
      } else if (is_main()) {
        finish();
      }
    }
    folder.leave();
    return report_;
  }
  /// Where it was asked to stop, how to go on; "" where it ended. For who throws it outside of the team: a rank
  /// that throws first cuts the others off.
  const std::string& stopped() const noexcept { return stopped_; }

 private:
  bool is_main() const noexcept { return communicator_.rank() == 0; }

  void refuse_own_inputs() const {
    ReadPlaces read = places_of(inputs_);
    if (!options_.tables_directory.empty()) read.folders.push_back(tables_folder(options_.tables_directory));
    require_folder_apart(options_.output_directory, is_dataset_file, read);
  }

  void divide_memory() {
    if (options_.block_bytes == 0) throw ConfigError("blocks of 0 bytes hold no rows; raise --block-bytes");
    const BlockMemory block = transform_block_memory(schema_.schema, *encoder_.layout(),
                                                     rules_.field_names().size(), options_.block_bytes);
    memory_ = divide_transform_memory(options_.memory_bytes, current_threads(), options_.block_bytes, block);
  }

  bool is_there_already() {
    std::optional<Manifest> found;
    if (is_main()) found = output_.find_finished();
    std::string answer = found ? "finished" : "work to do";
    share_text(communicator_, answer);
    if (found) report_finished(*found);
    return answer == "finished";
  }

  // False where the dataset is whole already. Decided by rank 0, which tells the others where it is made and
  // what is finished of it.
  bool begin() {
    std::optional<Manifest> found;
    std::string place;
    std::string entries;
    if (is_main()) {
      found = output_.open();
      place = found ? "finished" : output_.is_aside() ? "aside" : "in place";
      if (!found) entries = to_text({output_.journal().entries(), {}});
    }
    share_text(communicator_, place);
    if (found) report_finished(*found);
    if (place == "finished") return false;
    share_text(communicator_, entries);
    if (place == "aside") folder_ = replacement_folder(options_.output_directory);
    for (BlockReport& entry : parse_news(entries).blocks) {
      const std::pair at(entry.counts.input, entry.block);
      not_met_.insert(at);
      known_.emplace(at, std::move(entry));
    }
    shards_.emplace(schema_.schema, encoder_, inputs_, folder_, options_.max_bad_rows);
    const std::string rejected = rejected_path(folder_);
    ledger_.emplace(inputs_, RejectedRows(options_.max_bad_rows, rejected, rejected), progress_,
                    [this](const BlockReport& report) { keep(report); });
    return true;
  }

  // The blocks of this rank.
  void encode_blocks(const TellNews& tell) {
    const RunInputs run{.schema = schema_.schema,
                        .rules = rules_,
                        .inputs = inputs_,
                        .block_bytes = options_.block_bytes,
                        .share = share_of(communicator_)};
    BlockLimits limits{.in_flight = memory_.in_flight, .in_memory = memory_.in_memory};
    // What other ranks bring waits in any case.
    if (communicator_.size() == 1) limits.waiting_bytes = &ledger_->waiting_bytes();
    report_each_block(
        run, limits, options_.stop, [this](InputBlock& block) { return encode(block); }, tell);
  }

  BlockReport encode(InputBlock& block) {
    const auto known = known_.find(std::pair(block.input, block.block.index));
    return known == known_.end() ? shards_->write(block) : shards_->compare(block, known->second);
  }

  std::string how_it_stopped() const {
    if (!is_main()) return options_.output_directory + ": stopped as asked";
    return fmt::format("{}: stopped as asked with {} shard{} finished; the same command goes on from there",
                       options_.output_directory, finished_shards_, finished_shards_ == 1 ? "" : "s");
  }

  // On rank 0, blocks of all ranks as they come.
  void take(RunNews news) {
    for (const BlockReport& block : news.blocks) {
      if (block.shard) ++finished_shards_;
      // Where the shard of a lost block is not finished, no later run may take the block for done.
      const bool is_lost = block.rejected.size() > options_.max_bad_rows;
      if (!block.resumed && !is_lost) output_.journal().append(block);
    }
    ledger_->take(std::move(news));
  }

  // In the order of the inputs.
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
          fmt::format("{}: is shorter than in the run that is being carried on in {}; remove that folder to "
                      "begin anew",
                      inputs_[not_met_.begin()->first].path, folder_));
    }
    ledger_->finish("the dataset is not written");
    Manifest manifest = manifest_without_rows(encoder_, schema_.toml);
    manifest.block_bytes = options_.block_bytes;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      manifest.inputs.push_back({identity_.inputs[i].path, inputs_[i].size_bytes, ledger_->rows_read(i),
                                 ledger_->rejected_rows(i), identity_.inputs[i].sample});
    }
    manifest.shards = std::move(written_);
    manifest.rejected_rows = ledger_->rejected_rows();
    for (const ManifestShard& shard : manifest.shards) manifest.rows += shard.rows;
    output_.finish(manifest);
    report_.text_bytes = ledger_->text_bytes();
    if (ledger_->rejected_rows() > 0) report_.rejected_file = rejected_path(options_.output_directory);
    fill_report(manifest);
  }

  void report_finished(const Manifest& manifest) {
    report_.already_complete = true;
    report_.resumed_shards = manifest.shards.size();
    report_.resumed_rows = manifest.rows;
    const std::string list = rejected_path(options_.output_directory);
    if (manifest.rejected_rows > 0 && file_exists(list)) report_.rejected_file = list;
    fill_report(manifest);
  }

  void fill_report(const Manifest& manifest) {
    report_.rows = manifest.rows;
    report_.rejected_rows = manifest.rejected_rows;
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
  TransformOutput output_;  // kept by rank 0
  std::string folder_;      // where the dataset is made
  std::optional<ShardEncoder> shards_;
  std::optional<IngestLedger> ledger_;
  std::map<std::pair<std::size_t, std::uint64_t>, BlockReport> known_;  // blocks finished by an earlier run
  std::set<std::pair<std::size_t, std::uint64_t>> not_met_;             // of these, kept by rank 0
  std::uint64_t finished_shards_ = 0;                                   // of all ranks, in any order
  std::vector<ManifestShard> written_;                                  // in the order of their blocks
  TransformReport report_;
  std::string stopped_;
};

}  // namespace

TransformReport transform(const SchemaSource& schema, const TransformOptions& options,
                          const ProgressCallback& progress) {
  TeamSettings settings;
  settings.across_processes = true;
  DeviceTeam team({Device{}}, settings);
  TransformReport report;
  std::string stopped;
  try {
    team.run([&](Communicator& communicator) {
      Transform transform(schema, options, progress, communicator);
      report = transform.run();
      stopped = transform.stopped();
    });
  } catch (const FileError& error) {
    const std::string& directory = options.output_directory;
    const bool has_journal = file_exists(TransformJournal::path_in(directory)) ||
                             file_exists(TransformJournal::path_in(replacement_folder(directory)));
    if (!has_journal) throw;
    throw error.when_full("finished work is kept");
  }
  if (!stopped.empty()) throw Stopped(stopped);
  return report;
}

}  // namespace widehash
