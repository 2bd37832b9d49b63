#include "field_census.hpp"
#include "schema_proposal.hpp"
#include "shared_inputs.hpp"

#include <widehash/block_reader.hpp>
#include <widehash/byte_source.hpp>
#include <widehash/dialect_guess.hpp>
#include <widehash/error.hpp>
#include <widehash/inspect.hpp>
#include <widehash/row_parser.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace widehash {
namespace {

constexpr std::uint64_t inspect_block_bytes = std::uint64_t{4} << 20;
constexpr std::size_t tile_rows = 1024;

class Inspection {
 public:
  Inspection(const InspectOptions& options, const ProgressCallback& progress)
      : options_(options), progress_(progress), inputs_(expand_inputs(options.inputs)) {
    const bool has_stream =
        std::any_of(inputs_.begin(), inputs_.end(), [](const Input& input) { return input.is_stream; });
    for (const Input& input : inputs_) done_.bytes_total += has_stream ? 0 : input.size_bytes;
  }

  InspectReport run() {
    for (const Input& input : inputs_) {
      read(input);
      if (enough()) break;
    }
    for (const FieldCensus& field : census_) report_.fields.push_back(field.report());
    report_.cardinality_standard_error = HyperLogLog().standard_error();
    propose_schema(guess_, options_.label, census_, report_);
    return report_;
  }

 private:
  std::size_t rows_wanted() const {
    return options_.max_rows == 0 ? tile_rows
                                  : std::min<std::uint64_t>(tile_rows, options_.max_rows - report_.rows);
  }

  bool enough() const { return options_.max_rows != 0 && report_.rows >= options_.max_rows; }

  // The first input's beginning decides the dialect of all.
  void guess(std::string_view sample, const std::string& path) {
    if (sample.empty()) throw DataError(path, 0, "is empty: there is nothing to inspect");
    DialectHints hints;
    if (options_.header != HeaderChoice::automatic) hints.header = options_.header == HeaderChoice::yes;
    guess_ = guess_dialect(sample, sample.size() < sample_bytes, hints);
    if (!guess_.repeated_name.empty()) {
      throw DataError(path, 1,
                      fmt::format("the header names '{}' twice; give each field a name of its own, or say "
                                  "--header no where this line is data",
                                  guess_.repeated_name));
    }
    for (const std::string& field : guess_.fields) census_.emplace_back(field);
    if (!options_.label.empty() &&
        std::find(guess_.fields.begin(), guess_.fields.end(), options_.label) == guess_.fields.end()) {
      throw ConfigError(fmt::format("{}: has no field '{}' to be the label; its fields are: {}", path,
                                    options_.label, fmt::join(guess_.fields, ", ")));
    }
  }

  void read(const Input& input) {
    auto source = open_source(input);
    const std::string sample = read_sample(*source);
    if (census_.empty()) guess(sample, input.path);
    source = put_back(sample, std::move(source));
    BlockReader reader(std::move(source), input.path, guess_.dialect, guess_.has_header, inspect_block_bytes,
                       guess_.fields.size() == 1);
    if (guess_.has_header && reader.header_fields() != guess_.fields) {
      throw DataError(input.path, 1,
                      fmt::format("its header differs from that of {}; inspect files of one table at a time",
                                  inputs_.front().path));
    }
    RowParser parser(guess_.dialect, census_.size());
    RowBatch rows;
    Block block;
    const std::uint64_t bytes_before = done_.bytes_done;
    while (!enough() && reader.next(block)) {
      parser.start(block.bytes);
      while (!enough() && parser.next(rows, rows_wanted())) count(rows);
      done_.rows = report_.rows;
      done_.bytes_done = bytes_before + reader.position();
      if (progress_) progress_(done_);
    }
  }

  void count(const RowBatch& rows) {
    for (std::size_t row = 0; row < rows.num_rows; ++row) {
      const auto fields = rows.row(row);
      for (std::size_t field = 0; field < fields.size(); ++field) census_[field].add(fields[field]);
    }
    report_.rows += rows.num_rows;
    report_.rejected_rows += rows.bad_rows.size();
  }

  const InspectOptions& options_;
  const ProgressCallback& progress_;
  std::vector<Input> inputs_;
  Progress done_;
  DialectGuess guess_;
  std::vector<FieldCensus> census_;
  InspectReport report_;
};

}  // namespace

ReadPlaces places_read(const InspectOptions& options) { return places_of(expand_inputs(options.inputs)); }

InspectReport inspect(const InspectOptions& options, const ProgressCallback& progress) {
  return Inspection(options, progress).run();
}

}  // namespace widehash
