#include "block_rows.hpp"
#include "feature_encoder.hpp"
#include "input_blocks.hpp"
#include "rejected_rows.hpp"
#include "row_rules.hpp"

#include <widehash/error.hpp>
#include <widehash/file.hpp>
#include <widehash/ingest.hpp>
#include <widehash/table_builder.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <deque>

#include <fmt/format.h>

namespace widehash {
namespace {

// Small blocks: the text in flight is taken from the budget of the tables.
constexpr std::uint64_t fit_block_bytes = std::uint64_t{4} << 20;
// Text, fields and values of a block in flight, in bytes per byte of text.
constexpr std::uint64_t memory_per_text_byte = 8;
constexpr std::uint64_t block_memory = fit_block_bytes * memory_per_text_byte;

// The values of one feature in one block, in order. Values look into the block's text, or into `built` for
// crosses.
struct FeatureValues {
  std::vector<std::string_view> values;
  std::vector<double> numbers;
  std::deque<std::string> built;
};

struct ParsedBlock {
  InputBlock input;
  RowBatch tile;                    // holds rewritten quoted values
  std::deque<RowBatch> kept_tiles;  // earlier tiles whose rewritten values are looked at
  std::vector<FeatureValues> features;
  std::vector<RejectedRow> rejected;
  std::uint64_t rows_read = 0;
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
        in_flight, [&] { return produce(blocks); }, [&](ParsedBlock& block) { parse(block); },
        [&](ParsedBlock& block) { count(block, blocks, builder); });
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

  static std::shared_ptr<ParsedBlock> produce(InputBlocks& blocks) {
    auto item = std::make_shared<ParsedBlock>();
    return blocks.next(item->input) ? item : nullptr;
  }

  void parse(ParsedBlock& block) const {
    block.features.resize(schema_.features.size());
    block.rows_read = for_each_tile(dialect_of(schema_), block.input, inputs_[block.input.input].path,
                                    options_.max_bad_rows, block.tile, block.rejected,
                                    [&](const RowsView& rows, std::vector<EncodeIssue>& issues) {
                                      read_tile(rows, block, issues);
                                      keep_rewritten(block);
                                    });
  }

  void read_tile(const RowsView& rows, ParsedBlock& block, std::vector<EncodeIssue>& issues) const {
    std::vector<std::size_t> good;
    good.reserve(rows.num_rows());
    std::string reason;
    std::vector<double> numbers(rules_.num_numbers());
    for (std::size_t row = 0; row < rows.num_rows(); ++row) {
      float target = 0;
      float weight = 1;
      if (rules_.read_row(rows, row, *block.input.binding, target, weight, reason, numbers.data())) {
        good.push_back(row);
      } else {
        issues.push_back({row, reason});
      }
    }
    std::string scratch;
    for (std::size_t f = 0; f < schema_.features.size(); ++f) {
      const Feature& feature = schema_.features[f];
      if (feature.encoding == Encoding::ignore) continue;
      const auto& fields = block.input.binding->features[f];
      FeatureValues& out = block.features[f];
      for (const std::size_t row : good) {
        if (feature.encoding == Encoding::numeric) {
          const std::string_view text = rows.value(row, fields[0]);
          if (!readers_[f].is_missing(text)) out.numbers.push_back(*parse_number(text));
          continue;
        }
        readers_[f].for_each_value(rows, row, fields, scratch, [&](std::string_view value) {
          if (feature.is_cross()) value = out.built.emplace_back(value);
          out.values.push_back(value);
        });
      }
    }
  }

  // Values of a tile may look at quoted values that the tile owns; it is reused for the next one.
  static void keep_rewritten(ParsedBlock& block) {
    if (block.tile.rewritten.empty()) return;
    RowBatch& kept = block.kept_tiles.emplace_back();
    kept.rewritten.swap(block.tile.rewritten);
  }

  void count(ParsedBlock& block, InputBlocks& blocks, TableBuilder& builder) {
    blocks.settle(block.input, block.rejected);
    for (const RejectedRow& row : block.rejected) rejected_.add(row);
    for (std::size_t f = 0; f < block.features.size(); ++f) {
      for (const std::string_view value : block.features[f].values) builder.add(f, value);
      for (const double number : block.features[f].numbers) builder.add_number(f, number);
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
  FitReport report_;
};

}  // namespace

FitReport fit(const SchemaSource& schema, const FitOptions& options, const ProgressCallback& progress) {
  return Fit(schema, options, progress).run();
}

}  // namespace widehash
