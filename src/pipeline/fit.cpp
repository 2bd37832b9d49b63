#include "block_report.hpp"
#include "block_rows.hpp"
#include "buffer_pool.hpp"
#include "count_exchange.hpp"
#include "fit_record.hpp"
#include "ingest_ledger.hpp"
#include "input_blocks.hpp"
#include "news_exchange.hpp"
#include "row_rules.hpp"
#include "shared_folder.hpp"
#include "shared_inputs.hpp"
#include "shared_stop.hpp"
#include "shared_text.hpp"
#include "table_folder.hpp"
#include "value_columns.hpp"

#include <widehash/device_team.hpp>
#include <widehash/error.hpp>
#include <widehash/file.hpp>
#include <widehash/ingest.hpp>
#include <widehash/read_places.hpp>
#include <widehash/table_builder.hpp>
#include <widehash/table_place.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

// Small blocks: the text in flight is taken from the budget of the tables.
constexpr std::uint64_t fit_block_bytes = std::uint64_t{2} << 20;
// Values of a feature that are counted together: enough for the fetches ahead to pay. With very many features
// fewer, so that the columns of waiting values do not outgrow the memory of a block.
constexpr std::size_t rows_per_count = 1024;
constexpr std::size_t values_per_count = std::size_t{1} << 18;
// Text, fields and values of a block in flight, in bytes per byte of text.
constexpr std::uint64_t memory_per_text_byte = 8;
// Of inputs that are read ahead.
constexpr std::uint64_t most_bytes_ahead = std::uint64_t{64} << 20;
constexpr std::uint64_t block_memory = fit_block_bytes * memory_per_text_byte;

// What rejected is left of a failed run is not part of a set, and goes beside the old one.
RejectedRows rejected_rows(const FitOptions& options) {
  constexpr const char* name = "/rejected.tsv";
  return {options.max_bad_rows, TablePlace::folder_in(options.output_directory) + name,
          options.output_directory + name};
}

struct ParsedBlock {
  InputBlock input;
  std::vector<InputEnd> ends;  // passed on the way to it
  TileBuffers tiles;
  BlockReport report;

  std::vector<std::size_t> good_rows;  // of the tile at hand
  ValueColumns columns;

  ParsedBlock(const Schema& schema, std::span<const ValueReader> readers) : columns(schema, readers) {}
};

/// What the rank that wrote a table tells of it.
struct TableNumbers {
  std::uint64_t num_values = 0;
  std::uint64_t file_checksum = 0;
};

/// One rank's part in a fit. Every rank counts the blocks dealt to it; then each feature's counts come together at one
/// rank, which writes its table. Rank 0 keeps the folder and the ledger, and writes tables.json.
class Fit {
 public:
  Fit(const SchemaSource& schema, const FitOptions& options, const ProgressCallback& progress,
      Communicator& communicator)
      : schema_(schema.schema),
        toml_(schema.toml),
        options_(options),
        communicator_(communicator),
        inputs_(shared_inputs(communicator, options.inputs)),
        new_folder_(TablePlace::folder_in(options.output_directory)),
        rules_(schema_),
        rows_per_count_(
            std::clamp<std::size_t>(values_per_count / (schema_.features.size() + 1), 1, rows_per_count)),
        moments_(rules_.numeric_features().size()),
        ledger_(inputs_, rejected_rows(options), progress,
                [this](const BlockReport& report) { keep(report); }) {
    for (const Feature& feature : schema_.features) readers_.emplace_back(schema_, feature);
  }

  FitReport run() {
    require_folder_apart(options_.output_directory, is_table_set_file, places_of(inputs_));
    require_same(communicator_, identity(), "the inputs and the schema");
    SharedFolder folder(communicator_, options_.output_directory);
    report_.is_main = is_main();
    std::optional<TablePlace> place;  // of rank 0; gone before the lock is
    if (!begin(place)) {
      folder.leave();
      return report_;
    }
    const std::size_t in_flight = blocks_in_flight();
    const std::uint64_t merging = communicator_.size() > 1 ? TableBuilder::min_memory_bytes : 0;
    const std::uint64_t text_memory = in_flight * block_memory;
    const std::uint64_t ahead_bytes =
        inputs_.size() < 2 || communicator_.size() > 1
            ? 0
            : std::min(options_.memory_bytes / 2 - text_memory, most_bytes_ahead);
    const std::uint64_t budget = options_.memory_bytes - text_memory - ahead_bytes;
    if (budget < merging + TableBuilder::min_memory_bytes) throw_too_little();
    TableBuilder counted(schema_, new_folder_, budget - merging);
    exchange_news(
        communicator_, [&](const TellNews& tell) { count_blocks(in_flight, ahead_bytes, counted, tell); },
        [this](RunNews news) { ledger_.take(std::move(news)); });
    if (stop_is_asked(communicator_, options_.stop)) {
      place.reset();
      folder.leave();
      if (!is_main()) return report_;
      throw Stopped(fmt::format("{}: stopped as asked before the tables were written; start it again",
                                options_.output_directory));
    }
    if (is_main()) finish_rows();
    if (communicator_.size() == 1) {
      add_moments(counted);
      report_.tables = counted.finish();
    } else {
      write_tables_together(counted);
    }
    if (is_main()) put_in_place(*place);
    report_.spilled_runs = counted.num_runs();
    folder.leave();
    return report_;
  }

 private:
  bool is_main() const noexcept { return communicator_.rank() == 0; }

  // What must be equal for ranks to count together.
  std::string identity() const {
    std::string text = schema_.fingerprint();
    for (const Input& input : inputs_) text += fmt::format("\n{} {}", input.size_bytes, input.path);
    return text;
  }

  // False where the tables are there already. Decided by rank 0, which makes the folder that all write to.
  bool begin(std::optional<TablePlace>& place) {
    std::string decision = "make";
    if (is_main()) {
      signs_ = signs_of(inputs_);  // before the run, as sizes are
      TablePlace::finish(options_.output_directory);
      if (find_finished()) {
        decision = "done";
      } else {
        refuse_dataset(options_.output_directory);
        place.emplace(options_.output_directory);
      }
    }
    share_text(communicator_, decision);
    return decision == "make";
  }

  // The same tables are a success, others are not touched; what transform() does with datasets.
  bool find_finished() {
    if (options_.overwrite) return false;
    auto found = find_tables(options_.output_directory, schema_.fingerprint(), inputs_, signs_);
    if (!found) return false;
    report_.already_complete = true;
    report_.rows = found->set.rows;
    report_.rejected_rows = found->rejected_rows;
    for (const Input& input : inputs_) report_.input_bytes += input.size_bytes;
    report_.tables = std::move(found->set);
    name_rejected_file();
    return true;
  }

  void name_rejected_file() {
    if (report_.rejected_rows > 0) report_.rejected_file = options_.output_directory + "/rejected.tsv";
  }

  void put_in_place(TablePlace& place) {
    write_fit_record({schema_.fingerprint(), report_.tables.fingerprint, report_.rejected_rows, signs_},
                     new_folder_);
    place.commit(files_of_tables(options_.output_directory));
    report_.tables.directory = options_.output_directory;
  }

  void finish_rows() {
    ledger_.finish("the tables are not written");
    write_text_file(new_folder_ + "/schema.toml", toml_);
    for (const Input& input : inputs_) report_.input_bytes += input.size_bytes;
    report_.text_bytes = ledger_.text_bytes();
    report_.rejected_rows = ledger_.rejected_rows();
    name_rejected_file();
  }

  void add_moments(TableBuilder& builder) const {
    for (std::size_t i = 0; i < moments_.size(); ++i)
      builder.add_moments(rules_.numeric_features()[i], moments_[i]);
    builder.add_rows(report_.rows);
  }

  void write_tables_together(TableBuilder& counted) {
    // The others write only when rank 0 has found the rows to be whole.
    communicator_.barrier();
    TableBuilder merged(schema_, new_folder_, TableBuilder::min_memory_bytes);
    exchange_counts(communicator_, counted, merged);
    if (is_main()) add_moments(merged);
    TableSet set = merged.finish_part([this](std::size_t feature) {
      return table_writer(feature, communicator_.size()) == communicator_.rank();
    });
    std::vector<TableNumbers> own;
    for (const TableSet::Item& item : set.items) own.push_back({item.num_values, item.file_checksum});
    const auto ranks = static_cast<std::size_t>(communicator_.size());
    std::vector<TableNumbers> all(is_main() ? ranks * own.size() : 0);
    communicator_.gather<TableNumbers>(own, even_offsets(ranks * own.size(), ranks), 0, all);
    if (!is_main()) return;
    for (std::size_t feature = 0; feature < set.items.size(); ++feature) {
      const auto writer = static_cast<std::size_t>(table_writer(feature, communicator_.size()));
      const TableNumbers& numbers = all[writer * own.size() + feature];
      set.items[feature].num_values = numbers.num_values;
      set.items[feature].file_checksum = numbers.file_checksum;
    }
    write_table_set(set);
    report_.tables = std::move(set);
  }

  // Half of the memory at most is for text in flight, the rest for the tables.
  std::size_t blocks_in_flight() const {
    const std::uint64_t fitting = options_.memory_bytes / 2 / block_memory;
    if (fitting == 0) throw_too_little();
    return std::min<std::uint64_t>(fitting, current_threads() + 1);
  }

  [[noreturn]] void throw_too_little() const {
    const std::uint64_t tables = TableBuilder::min_memory_bytes * (communicator_.size() > 1 ? 2 : 1);
    throw ConfigError(fmt::format("--memory {} is too little: at least {} bytes are needed; raise it",
                                  options_.memory_bytes, tables + block_memory));
  }

  // The blocks of this rank.
  void count_blocks(std::size_t in_flight, std::uint64_t ahead_bytes, TableBuilder& builder,
                    const TellNews& tell) {
    InputBlocks blocks(schema_, rules_, inputs_, fit_block_bytes, true, ahead_bytes, share_of(communicator_));
    ordered_pipeline<ParsedBlock>(
        in_flight, [&] { return produce(blocks); }, [&](ParsedBlock& block) { count(block, builder); },
        [&](ParsedBlock& block) {
          RunNews news{{}, std::move(block.ends)};
          news.blocks.push_back(std::move(block.report));
          tell(std::move(news));
        });
    tell({{}, blocks.take_ends()});
  }

  // Blocks go round, so that each thread's memory is taken once.
  std::shared_ptr<ParsedBlock> produce(InputBlocks& blocks) {
    if (stop_is_asked(options_.stop)) return nullptr;
    auto block = used_blocks_.take();
    if (block == nullptr) block = std::make_unique<ParsedBlock>(schema_, readers_);
    if (!blocks.next(block->input)) return nullptr;
    // As in transform: what comes in after the signal may be cut.
    if (stop_is_asked(options_.stop)) return nullptr;
    block->ends = blocks.take_ends();
    return {block.release(),
            [this](ParsedBlock* used) { used_blocks_.give(std::unique_ptr<ParsedBlock>(used)); }};
  }

  // Any number side by side: the counts of values do not depend on their order.
  void count(ParsedBlock& block, TableBuilder& builder) const {
    std::size_t first = block.input.block.index;
    std::size_t num_waiting = 0;
    BlockReport& report = block.report = {};
    report.moments.resize(moments_.size());
    const auto count_waiting = [&] {
      block.columns.flush(builder, first++);
      num_waiting = 0;
    };
    const auto take = [&](const auto& rows, std::size_t num_rows, std::vector<EncodeIssue>& issues) {
      take_good_rows(rows, num_rows, block, issues);
      block.columns.add(rows, block.good_rows, *block.input.binding, builder);
      num_waiting += block.good_rows.size();
      if (num_waiting >= rows_per_count_) count_waiting();
    };
    TileUse use;
    use.views = [&](const RowsView& rows, std::vector<EncodeIssue>& issues) {
      take(rows, rows.num_rows(), issues);
      // Rewritten values last as long as their tile, the others as the text they were cut from.
      if (!block.tiles.tile.rewritten.empty()) count_waiting();
    };
    if (block.columns.takes_places()) {
      use.places = [&](const PlacedRows& rows, std::vector<EncodeIssue>& issues) {
        take(rows, rows.num_rows, issues);
      };
    }
    use.text_ends = count_waiting;
    const std::uint64_t rows_read =
        for_each_tile(dialect_of(schema_), block.input, inputs_[block.input.input].path,
                      options_.max_bad_rows, block.tiles, report.rejected, use);
    report.block = block.input.block.index;
    report.counts = block.input.counts(rows_read);
    report.text_bytes = block.input.block.num_bytes;
    report.disk_bytes = block.input.disk_bytes;
  }

  template <class Rows>
  void take_good_rows(const Rows& rows, std::size_t num_rows, ParsedBlock& block,
                      std::vector<EncodeIssue>& issues) const {
    block.good_rows.clear();
    std::string reason;
    std::vector<double> numbers(rules_.num_numbers());
    for (std::size_t row = 0; row < num_rows; ++row) {
      float target = 0;
      float weight = 1;
      if (!rules_.read_row(rows, row, *block.input.binding, target, weight, reason, numbers.data())) {
        issues.push_back({row, reason});
        continue;
      }
      block.good_rows.push_back(row);
      for (std::size_t i = 0; i < numbers.size(); ++i) block.report.moments[i].add(numbers[i]);
    }
  }

  // On rank 0, in the order of the inputs: the last bits of the moments depend on it.
  void keep(const BlockReport& block) {
    for (std::size_t i = 0; i < moments_.size(); ++i) moments_[i].add(block.moments[i]);
    report_.rows += block.counts.rows_read - block.rejected.size();
  }

  const Schema& schema_;
  const std::string& toml_;
  const FitOptions& options_;
  Communicator& communicator_;
  std::vector<Input> inputs_;
  std::string new_folder_;  // of the tables while they are made
  std::vector<InputSign> signs_;
  RowRules rules_;
  std::size_t rows_per_count_;
  std::vector<ValueReader> readers_;
  std::vector<RunningMoments> moments_;  // of the numeric features
  IngestLedger ledger_;
  BufferPool<ParsedBlock> used_blocks_;
  FitReport report_;
};

}  // namespace

FitReport fit(const SchemaSource& schema, const FitOptions& options, const ProgressCallback& progress) {
  TeamSettings settings;
  settings.across_processes = true;
  DeviceTeam team({Device{}}, settings);
  FitReport report;
  team.run([&](Communicator& communicator) { report = Fit(schema, options, progress, communicator).run(); });
  return report;
}

}  // namespace widehash
