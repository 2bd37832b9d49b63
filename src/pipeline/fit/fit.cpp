#include "added_tables.hpp"
#include "block_counter.hpp"
#include "count_exchange.hpp"
#include "encode/row_rules.hpp"
#include "fit_memory.hpp"
#include "fit_record.hpp"
#include "ingest/ingest_ledger.hpp"
#include "ingest/ingest_run.hpp"
#include "ingest/input_headers.hpp"
#include "ingest/shared_folder.hpp"
#include "ingest/shared_inputs.hpp"
#include "shared_tables.hpp"
#include "table_folder.hpp"

#include <widehash/code_layout.hpp>
#include <widehash/fit.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/internal/read_places.hpp>
#include <widehash/internal/shared_stop.hpp>
#include <widehash/internal/shared_text.hpp>
#include <widehash/internal/table_builder.hpp>
#include <widehash/internal/table_place.hpp>
#include <widehash/threads.hpp>

#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace widehash {
namespace {

RejectedRows rejected_rows(const FitOptions& options) {
  return {options.max_bad_rows, in_folder(TablePlace::folder_in(options.output_directory), rejected_name),
          list_of_failed(options.output_directory)};
}

/// There may be no inputs where tables are added.
std::vector<Input> inputs_of(const Communicator& communicator, const FitOptions& options) {
  if (options.inputs.empty() && !options.add.empty()) return {};
  return shared_inputs(communicator, options.inputs);
}

/// One rank's part in a fit. Every rank counts the blocks dealt to it. Each feature's counts are then merged
/// on one rank, which writes its table. Rank 0 owns the folder and the ledger, and writes tables.json.
class Fit {
 public:
  Fit(const SchemaSource& schema, const FitOptions& options, const ProgressCallback& progress,
      Communicator& communicator)
      : source_(with_own_text(schema)),
        schema_(source_.schema),
        options_(options),
        communicator_(communicator),
        inputs_(inputs_of(communicator, options)),
        new_folder_(TablePlace::folder_in(options.output_directory)),
        rules_(schema_, {}, options.folds),
        moments_(rules_.numeric_features().size()),
        progress_(progress) {}

  RunEnd<FitReport> run() {
    std::string stopped = count_and_write();
    return {std::move(report_), std::move(stopped)};
  }

 private:
  // Returns how to continue where the run was asked to stop, otherwise "".
  std::string count_and_write() {
    report_.is_main = is_main();
    require_folder_apart(options_.output_directory, is_table_set_file, places_read());
    // Reports what transform will refuse now, not after hours of counting that another cardinality would make
    // useless.
    make_layout(schema_);
    require_headers(run_inputs());
    take_signs();  // before the run, as sizes are
    require_same(communicator_, identity(), "the inputs, the schema and the folds");
    require_same(communicator_, fmt::format("{}", options_.max_bad_rows), "--max-bad-rows");
    if (is_there_already()) return {};
    held_.emplace(communicator_, options_.output_directory);
    std::optional<TablePlace> place;  // on rank 0; destroyed before the lock is released
    if (!begin(place)) {
      held_->leave();
      return {};
    }
    if (!is_main()) added_ = AddedTables(options_.add, schema_);
    require_same(communicator_, fmt::format("{}", fmt::join(added_.fingerprints(), " ")),
                 "the tables that are added");
    leave_out_counted();
    ledger_.emplace(inputs_, rejected_rows(options_), progress_,
                    [this](const BlockReport& report) { keep(report); });
    const FitMemory memory =
        divide_fit_memory(options_.memory_bytes, current_threads(), communicator_.size());
    TableBuilder counted(schema_, new_folder_, memory.counting_bytes);
    // Damaged tables are reported before hours of counting. The values of a feature are added on the rank
    // that writes its table, so that they need not be sent.
    added_.add_values(
        counted,
        [this](std::size_t feature) {
          return table_writer(feature, communicator_.size()) == communicator_.rank();
        },
        options_.stop);
    const std::size_t added_runs = counted.num_runs();
    count_blocks(memory, counted);
    const bool was_full = counted.num_runs() > added_runs;
    if (stop_is_asked(communicator_, options_.stop)) {
      place.reset();
      held_->leave();
      return fmt::format("{}: stopped as asked before the tables were written; start it again",
                         options_.output_directory);
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
    report_.rows = report_.tables.rows;
    report_.spilled_runs = was_full ? counted.num_runs() - added_runs : 0;
    held_->leave();
    return {};
  }

  bool is_main() const noexcept { return communicator_.rank() == 0; }

  RunInputs run_inputs() const {
    return {.schema = schema_,
            .rules = rules_,
            .inputs = inputs_,
            .block_bytes = fit_block_bytes,
            .allow_empty = options_.allow_empty,
            .stop = options_.stop};
  }

  ReadPlaces places_read() const {
    ReadPlaces read = places_of(inputs_);
    for (const std::string& directory : options_.add) {
      std::string folder = tables_folder(directory);
      if (!is_same_file(folder, options_.output_directory)) read.folders.push_back(std::move(folder));
    }
    return read;
  }

  // What must be equal on all ranks for them to count together.
  std::string identity() const {
    std::string text =
        fmt::format("{} {} {}", schema_.fingerprint(), to_text(options_.folds), options_.folds.by);
    for (const CountedInput& input : given_)
      text += fmt::format("\n{} {} {}", input.sign.size_bytes, input.sign.sample, input.sign.path);
    return text;
  }

  // Finding out whether the tables are finished needs no lock, which would require a writable folder.
  bool is_there_already() {
    return rank_0_says(communicator_, [this] {
      if (TablePlace::is_unfinished(options_.output_directory)) return false;
      added_ = AddedTables(options_.add, schema_);
      return find_finished();
    });
  }

  // Returns false where the tables are finished already. Rank 0 decides, and makes the folder that all ranks
  // write to.
  bool begin(std::optional<TablePlace>& place) {
    return rank_0_says(communicator_, [&] {
      TablePlace::finish(options_.output_directory);
      added_ = AddedTables(options_.add, schema_);  // again: only now can no other run replace them
      if (find_finished()) return false;
      refuse_dataset(options_.output_directory);
      if (!options_.overwrite && !has_tables(options_.output_directory))
        refuse_foreign_table_files(options_.output_directory, source_.toml);
      place.emplace(options_.output_directory);
      return true;
    });
  }

  void take_signs() {
    const std::vector<InputSign> signs = signs_of(inputs_);
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      given_.push_back({signs[i], inputs_[i].is_stream ? std::string() : place_of(inputs_[i].path)});
  }

  // The inputs that no added tables count. An input without bytes has nothing to count.
  std::vector<std::size_t> inputs_to_count() const {
    std::vector<std::size_t> wanted;
    for (std::size_t i = 0; i < given_.size(); ++i) {
      const bool is_empty = !inputs_[i].is_stream && inputs_[i].size_bytes == 0;
      const bool is_counted = is_empty || added_.counted().folder_of(given_[i]) != nullptr;
      if (added_.empty() || !is_counted) wanted.push_back(i);
    }
    return wanted;
  }

  // Leaves out, on all ranks, the inputs that rank 0 finds to be counted.
  void leave_out_counted() {
    if (is_main()) wanted_ = inputs_to_count();
    report_.changed_inputs = added_.changed_inputs();
    report_.copied_inputs = added_.copied_inputs();
    for (const std::size_t i : wanted_) {
      if (added_.counted().had_other_bytes(given_[i])) report_.changed_inputs.push_back(inputs_[i].path);
      if (added_.counted().is_copy(given_[i])) report_.copied_inputs.push_back(inputs_[i].path);
    }
    if (added_.empty()) return;
    std::string wanted = is_main() ? fmt::format("{}", fmt::join(wanted_, " ")) : "";
    share_text(communicator_, wanted);
    std::vector<Input> inputs;
    std::istringstream numbers(wanted);
    for (std::size_t i = 0; numbers >> i;) inputs.push_back(std::move(inputs_[i]));
    report_.skipped_inputs = inputs_.size() - inputs.size();
    inputs_ = std::move(inputs);
  }

  // Finding the same tables is a success, and other tables are left alone, as transform() does with datasets.
  bool find_finished() {
    added_.require_folds(options_.folds, !inputs_.empty());
    const std::vector<std::size_t> wanted = inputs_to_count();
    std::optional<FoundTables> found;
    if (wanted.empty()) found = added_.found_in(options_.output_directory, given_);
    report_.added_rows = found ? found->set.rows : added_.rows();
    if (!found) {
      added_.require_apart();
      if (options_.overwrite || added_.hold(options_.output_directory)) return false;
      found = find_tables(options_.output_directory, schema_, inputs_, record_of(wanted));
    }
    if (!found) return false;
    require_allowed_rejects(options_.output_directory, "tables", found->rejected_rows, options_.max_bad_rows);
    report_.already_complete = true;
    report_.skipped_inputs = added_.empty() ? 0 : inputs_.size() - wanted.size();
    report_.rows = found->set.rows;
    report_.rejected_rows = found->rejected_rows;
    report_.other_fold_rows = found->other_fold_rows;
    for (const std::size_t i : wanted) report_.input_bytes += inputs_[i].size_bytes;
    report_.tables = std::move(found->set);
    report_.rejected_file = kept_list(options_.output_directory, report_.rejected_rows);
    return true;
  }

  // The record of all that is counted, with these of the given inputs. It does not yet contain what the run
  // finds out: the fingerprint of the tables and the numbers of rows that are left out.
  FitRecord record_of(const std::vector<std::size_t>& wanted) const {
    FitRecord record{.schema_fingerprint = schema_.fingerprint(),
                     .inputs = added_.inputs(),
                     .folds = added_.empty() ? options_.folds : added_.folds(),
                     .added = added_.fingerprints()};
    for (const std::size_t i : wanted) record.inputs.push_back(given_[i]);
    return record;
  }

  void put_in_place(TablePlace& place) {
    FitRecord made = record_of(wanted_);
    made.tables_fingerprint = report_.tables.fingerprint;
    made.rejected_rows = report_.rejected_rows;
    made.other_fold_rows = report_.other_fold_rows;
    write_fit_record(made, new_folder_);
    place.commit(files_of_tables(options_.output_directory));
    report_.tables.directory = options_.output_directory;
  }

  void finish_rows() {
    ledger_->finish("the tables are not written");
    write_text_file(in_folder(new_folder_, schema_name), source_.toml);
    for (const Input& input : inputs_) report_.input_bytes += input.size_bytes;
    report_.text_bytes = ledger_->text_bytes();
    report_.added_rows = added_.rows();
    report_.rejected_rows = ledger_->rejected_rows();
    if (report_.rejected_rows > 0)
      report_.rejected_file = in_folder(options_.output_directory, rejected_name);
  }

  void add_moments(TableBuilder& builder) const {
    added_.add_numbers(builder);
    for (std::size_t i = 0; i < moments_.size(); ++i)
      builder.add_moments(rules_.numeric_features()[i], moments_[i]);
    builder.add_rows(report_.rows);
  }

  // Counts the blocks of this rank.
  void count_blocks(const FitMemory& memory, TableBuilder& builder) {
    BlockCounter counter(schema_, rules_, inputs_, options_.max_bad_rows, builder);
    const BlockLimits limits{.in_flight = memory.blocks_in_flight, .in_memory = memory.blocks_in_flight};
    ingest_blocks(
        communicator_, run_inputs(), limits, *ledger_,
        [&](InputBlock& block) { return counter.count(block); },
        [this](RunNews news) { ledger_->take(std::move(news)); });
  }

  // Called on rank 0 in the order of the inputs, because the last bits of the moments depend on the order.
  void keep(const BlockReport& block) {
    for (std::size_t i = 0; i < moments_.size(); ++i) moments_[i].add(block.moments[i]);
    report_.rows += block.counts.rows_read - block.rejected.size() - block.other_fold_rows;
    report_.other_fold_rows += block.other_fold_rows;
  }

  const SchemaSource source_;
  const Schema& schema_;
  const FitOptions& options_;
  Communicator& communicator_;
  std::vector<Input> inputs_;
  std::string new_folder_;  // of the tables while they are being made
  AddedTables added_;
  std::vector<CountedInput> given_;  // the inputs as given, on rank 0
  std::vector<std::size_t> wanted_;  // indices into given_ of the inputs to count, on rank 0
  RowRules rules_;
  std::vector<RunningMoments> moments_;  // of the numeric features
  const ProgressCallback& progress_;
  std::optional<SharedFolder> held_;  // released when nothing here can write to the folder any more
  std::optional<IngestLedger> ledger_;
  FitReport report_;
};

}  // namespace

FitReport fit(const SchemaSource& schema, const FitOptions& options, const ProgressCallback& progress) {
  return run_in_all_processes(
      [&](Communicator& communicator) { return Fit(schema, options, progress, communicator).run(); });
}

}  // namespace widehash
