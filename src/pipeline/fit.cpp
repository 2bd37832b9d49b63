#include "block_rows.hpp"
#include "buffer_pool.hpp"
#include "input_blocks.hpp"
#include "rejected_rows.hpp"
#include "row_rules.hpp"
#include "value_columns.hpp"

#include <widehash/error.hpp>
#include <widehash/file.hpp>
#include <widehash/ingest.hpp>
#include <widehash/table_builder.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

namespace widehash {
namespace {

// Small blocks: the text in flight is taken from the budget of the tables.
constexpr std::uint64_t fit_block_bytes = std::uint64_t{2} << 20;
// Values of a feature that are counted together: enough for the fetches ahead to pay.
constexpr std::size_t rows_per_count = 1024;
// Text, fields and values of a block in flight, in bytes per byte of text.
constexpr std::uint64_t memory_per_text_byte = 8;
constexpr std::uint64_t block_memory = fit_block_bytes * memory_per_text_byte;

struct ParsedBlock {
  InputBlock input;
  RowBatch tile;
  std::vector<std::vector<double>> numbers;  // of each numeric feature, in the order of the file
  std::vector<RejectedRow> rejected;
  std::uint64_t rows_read = 0;

  std::vector<std::size_t> good_rows;  // of the tile at hand
  ValueColumns columns;

  ParsedBlock(const Schema& schema, std::span<const ValueReader> readers)
      : numbers(schema.features.size()), columns(schema, readers) {}

  void clear() {
    for (auto& column : numbers) column.clear();
    rejected.clear();
  }
};

class Fit {
 public:
  Fit(const SchemaSource& schema, const FitOptions& options, const ProgressCallback& progress)
      : schema_(schema.schema),
        toml_(schema.toml),
        options_(options),
        progress_(progress),
        inputs_(expand_inputs(options.inputs)),
        rules_(schema_),
        rejected_(options.max_bad_rows, options.output_directory + "/rejected.tsv"),
        rows_read_(inputs_.size(), 0) {
    for (const Feature& feature : schema_.features) readers_.emplace_back(schema_, feature);
  }

  FitReport run() {
    make_directories(options_.output_directory);
    const DirectoryLock lock(options_.output_directory);
    const std::size_t in_flight = blocks_in_flight();
    const std::uint64_t text_memory = in_flight * block_memory;
    TableBuilder builder(schema_, options_.output_directory, options_.memory_bytes - text_memory);
    InputBlocks blocks(schema_, rules_, inputs_, fit_block_bytes, true);
    ordered_pipeline<ParsedBlock>(
        in_flight, [&] { return produce(blocks); }, [&](ParsedBlock& block) { count(block, builder); },
        [&](ParsedBlock& block) { take(block, blocks, builder); });
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (rows_read_[i] != blocks.rows_counted(i)) {
        throw DataError(
            inputs_[i].path, 0,
            fmt::format("{} rows were read but its bytes hold {}; the tables are not written: this is an "
                        "error of the program, please report it with the file",
                        rows_read_[i], blocks.rows_counted(i)));
      }
      report_.input_bytes += inputs_[i].size_bytes;
    }
    rejected_.finish();
    write_text_file(options_.output_directory + "/schema.toml", toml_);
    report_.spilled_runs = builder.num_runs();
    report_.tables = builder.finish();
    report_.rejected_rows = rejected_.count();
    report_.rejected_file = rejected_.written_path();
    return report_;
  }

 private:
  // Half of the memory at most is for text in flight, the rest for the tables.
  std::size_t blocks_in_flight() const {
    const std::uint64_t fitting = options_.memory_bytes / 2 / block_memory;
    if (fitting == 0) {
      throw ConfigError(fmt::format("--memory {} is too little: at least {} bytes are needed; raise it",
                                    options_.memory_bytes, 2 * block_memory));
    }
    return std::min<std::uint64_t>(fitting, current_threads() + 1);
  }

  // Blocks go round, so that each thread's memory is taken once.
  std::shared_ptr<ParsedBlock> produce(InputBlocks& blocks) {
    auto block = used_blocks_.take();
    if (block == nullptr) block = std::make_unique<ParsedBlock>(schema_, readers_);
    if (!blocks.next(block->input)) return nullptr;
    return {block.release(), [this](ParsedBlock* used) {
              used->clear();
              used_blocks_.give(std::unique_ptr<ParsedBlock>(used));
            }};
  }

  // Any number side by side: the counts of values do not depend on their order.
  void count(ParsedBlock& block, TableBuilder& builder) const {
    std::size_t first = block.input.block.index;
    std::size_t num_waiting = 0;
    block.rows_read = for_each_tile(dialect_of(schema_), block.input, inputs_[block.input.input].path,
                                    options_.max_bad_rows, block.tile, block.rejected,
                                    [&](const RowsView& rows, std::vector<EncodeIssue>& issues) {
                                      take_good_rows(rows, block, issues);
                                      block.columns.add(rows, block.good_rows, *block.input.binding, builder);
                                      num_waiting += block.good_rows.size();
                                      // Rewritten values last as long as their tile, the others as the block.
                                      if (num_waiting < rows_per_count && block.tile.rewritten.empty())
                                        return;
                                      block.columns.flush(builder, first++);
                                      num_waiting = 0;
                                    });
    block.columns.flush(builder, first);
  }

  void take_good_rows(const RowsView& rows, ParsedBlock& block, std::vector<EncodeIssue>& issues) const {
    block.good_rows.clear();
    std::string reason;
    std::vector<double> numbers(rules_.num_numbers());
    for (std::size_t row = 0; row < rows.num_rows(); ++row) {
      float target = 0;
      float weight = 1;
      if (!rules_.read_row(rows, row, *block.input.binding, target, weight, reason, numbers.data())) {
        issues.push_back({row, reason});
        continue;
      }
      block.good_rows.push_back(row);
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (!std::isnan(numbers[i])) block.numbers[rules_.numeric_features()[i]].push_back(numbers[i]);
      }
    }
  }

  // In the order of the file, which the moments and the list of rejected rows keep.
  void take(ParsedBlock& block, InputBlocks& blocks, TableBuilder& builder) {
    blocks.settle(block.input, block.rejected);
    for (const RejectedRow& row : block.rejected) rejected_.add(row);
    for (std::size_t f = 0; f < block.numbers.size(); ++f) {
      for (const double number : block.numbers[f]) builder.add_number(f, number);
    }
    const std::uint64_t good_rows = block.rows_read - block.rejected.size();
    builder.add_rows(good_rows);
    report_.rows += good_rows;
    report_.text_bytes += block.input.block.num_bytes;
    rows_read_[block.input.input] += block.rows_read;
    if (progress_) progress_({report_.rows, block.input.bytes_done, blocks.bytes_total()});
  }

  const Schema& schema_;
  const std::string& toml_;
  const FitOptions& options_;
  const ProgressCallback& progress_;
  std::vector<Input> inputs_;
  RowRules rules_;
  std::vector<ValueReader> readers_;
  RejectedRows rejected_;
  std::vector<std::uint64_t> rows_read_;
  BufferPool<ParsedBlock> used_blocks_;
  FitReport report_;
};

}  // namespace

FitReport fit(const SchemaSource& schema, const FitOptions& options, const ProgressCallback& progress) {
  return Fit(schema, options, progress).run();
}

}  // namespace widehash
