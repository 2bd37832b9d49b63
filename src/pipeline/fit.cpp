#include "block_counter.hpp"
#include "block_pipeline.hpp"
#include "fit_memory.hpp"
#include "fit_record.hpp"
#include "foreign_texts.hpp"
#include "ingest_ledger.hpp"
#include "input_headers.hpp"
#include "news_exchange.hpp"
#include "row_rules.hpp"
#include "shared_folder.hpp"
#include "shared_inputs.hpp"
#include "shared_stop.hpp"
#include "shared_tables.hpp"
#include "shared_text.hpp"
#include "table_folder.hpp"

#include <widehash/code_layout.hpp>
#include <widehash/device_team.hpp>
#include <widehash/error.hpp>
#include <widehash/file.hpp>
#include <widehash/fit.hpp>
#include <widehash/read_places.hpp>
#include <widehash/table_builder.hpp>
#include <widehash/table_place.hpp>
#include <widehash/threads.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace widehash {
namespace {

RejectedRows rejected_rows(const FitOptions& options) {
  return {options.max_bad_rows, TablePlace::folder_in(options.output_directory) + "/rejected.tsv",
          list_of_failed(options.output_directory)};
}

/// One rank's part in a fit. Every rank counts the blocks dealt to it; then each feature's counts come
/// together at one rank, which writes its table. Rank 0 keeps the folder and the ledger, and writes
/// tables.json.
class Fit {
 public:
  Fit(const SchemaSource& schema, const FitOptions& options, const ProgressCallback& progress,
      Communicator& communicator)
      : source_(with_own_text(schema)),
        schema_(source_.schema),
        options_(options),
        communicator_(communicator),
        inputs_(shared_inputs(communicator, options.inputs)),
        new_folder_(TablePlace::folder_in(options.output_directory)),
        rules_(schema_),
        moments_(rules_.numeric_features().size()),
        ledger_(inputs_, rejected_rows(options), progress,
                [this](const BlockReport& report) { keep(report); }) {}

  FitReport run() {
    report_.is_main = is_main();
    require_folder_apart(options_.output_directory, is_table_set_file, places_of(inputs_));
    // What transform will refuse is told before hours of counting, which another cardinality makes worthless.
    make_layout(schema_);
    require_headers(schema_, rules_, inputs_, true);
    require_same(communicator_, identity(), "the inputs and the schema");
    if (is_main()) signs_ = signs_of(inputs_);  // before the run, as sizes are
    if (is_there_already()) return report_;
    SharedFolder folder(communicator_, options_.output_directory);
    std::optional<TablePlace> place;  // of rank 0; gone before the lock is
    if (!begin(place)) {
      folder.leave();
      return report_;
    }
    const FitMemory memory =
        divide_fit_memory(options_.memory_bytes, current_threads(), communicator_.size());
    TableBuilder counted(schema_, new_folder_, memory.counting_bytes);
    exchange_news(
        communicator_, [&](const TellNews& tell) { count_blocks(memory, counted, tell); },
        [this](RunNews news) { ledger_.take(std::move(news)); });
    if (stop_is_asked(communicator_, options_.stop)) {
      place.reset();
      folder.leave();
      stopped_ = fmt::format("{}: stopped as asked before the tables were written; start it again",
                             options_.output_directory);
      return report_;
    }
    if (is_main()) finish_rows();
    if (communicator_.size() == 1) {
      add_moments(counted);
      report_.tables = counted.finish();
    } else {
      report_.tables =
          write_tables_together(communicator_, schema_, new_folder_, counted, memory.merging_bytes,
                                [this](TableBuilder& merged) { add_moments(merged); });
    }
    if (is_main()) put_in_place(*place);
    report_.spilled_runs = counted.num_runs();
    folder.leave();
    return report_;
  }
  /// Where it was asked to stop, how to go on; "" where it ended. For who throws it outside of the team: a rank
  /// that throws first cuts the others off.
  const std::string& stopped() const noexcept { return stopped_; }

 private:
  bool is_main() const noexcept { return communicator_.rank() == 0; }

  // What must be equal for ranks to count together.
  std::string identity() const {
    std::string text = schema_.fingerprint();
    for (const Input& input : inputs_) text += fmt::format("\n{} {}", input.size_bytes, input.path);
    return text;
  }

  // Of finished tables the answer needs no lock, which asks for a folder that can be written to.
  bool is_there_already() {
    std::string found = "make";
    if (is_main() && !TablePlace::is_unfinished(options_.output_directory) && find_finished()) found = "done";
    share_text(communicator_, found);
    return found == "done";
  }

  // False where the tables are there already. Decided by rank 0, which makes the folder that all write to.
  bool begin(std::optional<TablePlace>& place) {
    std::string decision = "make";
    if (is_main()) {
      TablePlace::finish(options_.output_directory);
      if (find_finished()) {
        decision = "done";
      } else {
        refuse_dataset(options_.output_directory);
        if (!options_.overwrite && !has_tables(options_.output_directory))
          refuse_foreign_texts(options_.output_directory, source_.toml);
        place.emplace(options_.output_directory);
      }
    }
    share_text(communicator_, decision);
    return decision == "make";
  }

  // The same tables are a success, others are not touched; what transform() does with datasets.
  bool find_finished() {
    if (options_.overwrite) return false;
    auto found = find_tables(options_.output_directory, schema_, inputs_, signs_);
    if (!found) return false;
    require_allowed_rejects(options_.output_directory, "tables", found->rejected_rows, options_.max_bad_rows);
    report_.already_complete = true;
    report_.rows = found->set.rows;
    report_.rejected_rows = found->rejected_rows;
    for (const Input& input : inputs_) report_.input_bytes += input.size_bytes;
    report_.tables = std::move(found->set);
    const std::string list = options_.output_directory + "/rejected.tsv";
    if (report_.rejected_rows > 0 && file_exists(list)) report_.rejected_file = list;
    return true;
  }

  void put_in_place(TablePlace& place) {
    write_fit_record({schema_.fingerprint(), report_.tables.fingerprint, report_.rejected_rows, signs_},
                     new_folder_);
    place.commit(files_of_tables(options_.output_directory));
    report_.tables.directory = options_.output_directory;
  }

  void finish_rows() {
    ledger_.finish("the tables are not written");
    write_text_file(new_folder_ + "/schema.toml", source_.toml);
    for (const Input& input : inputs_) report_.input_bytes += input.size_bytes;
    report_.text_bytes = ledger_.text_bytes();
    report_.rejected_rows = ledger_.rejected_rows();
    if (report_.rejected_rows > 0) report_.rejected_file = options_.output_directory + "/rejected.tsv";
  }

  void add_moments(TableBuilder& builder) const {
    for (std::size_t i = 0; i < moments_.size(); ++i)
      builder.add_moments(rules_.numeric_features()[i], moments_[i]);
    builder.add_rows(report_.rows);
  }

  // The blocks of this rank.
  void count_blocks(const FitMemory& memory, TableBuilder& builder, const TellNews& tell) {
    BlockCounter counter(schema_, rules_, inputs_, options_.max_bad_rows, builder);
    const RunInputs run{.schema = schema_,
                        .rules = rules_,
                        .inputs = inputs_,
                        .block_bytes = fit_block_bytes,
                        .share = share_of(communicator_)};
    BlockLimits limits{.in_flight = memory.blocks_in_flight, .in_memory = memory.blocks_in_flight};
    // What other ranks bring waits in any case.
    if (communicator_.size() == 1) limits.waiting_bytes = &ledger_.waiting_bytes();
    report_each_block(
        run, limits, options_.stop, [&](InputBlock& block) { return counter.count(block); }, tell);
  }

  // On rank 0, in the order of the inputs: the last bits of the moments depend on it.
  void keep(const BlockReport& block) {
    for (std::size_t i = 0; i < moments_.size(); ++i) moments_[i].add(block.moments[i]);
    report_.rows += block.counts.rows_read - block.rejected.size();
  }

  const SchemaSource source_;
  const Schema& schema_;
  const FitOptions& options_;
  Communicator& communicator_;
  std::vector<Input> inputs_;
  std::string new_folder_;  // of the tables while they are made
  std::vector<InputSign> signs_;
  RowRules rules_;
  std::vector<RunningMoments> moments_;  // of the numeric features
  IngestLedger ledger_;
  FitReport report_;
  std::string stopped_;
};

}  // namespace

FitReport fit(const SchemaSource& schema, const FitOptions& options, const ProgressCallback& progress) {
  TeamSettings settings;
  settings.across_processes = true;
  DeviceTeam team({Device{}}, settings);
  FitReport report;
  std::string stopped;
  team.run([&](Communicator& communicator) {
    Fit fit(schema, options, progress, communicator);
    report = fit.run();
    stopped = fit.stopped();
  });
  if (!stopped.empty()) throw Stopped(stopped);
  return report;
}

}  // namespace widehash
