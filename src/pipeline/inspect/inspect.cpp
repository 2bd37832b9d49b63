#include "encode/bare_returns.hpp"
#include "encode/row_rules.hpp"
#include "encode/shown_names.hpp"
#include "encode/target_parser.hpp"
#include "field_census.hpp"
#include "ingest/shared_inputs.hpp"
#include "label_sample.hpp"
#include "sample_doubts.hpp"
#include "schema_proposal.hpp"

#include <widehash/error.hpp>
#include <widehash/inspect.hpp>
#include <widehash/internal/ascii.hpp>
#include <widehash/internal/block_reader.hpp>
#include <widehash/internal/byte_source.hpp>
#include <widehash/internal/dialect_guess.hpp>
#include <widehash/internal/row_parser.hpp>
#include <widehash/internal/shared_stop.hpp>
#include <widehash/internal/stoppable_progress.hpp>
#include <widehash/internal/suggest.hpp>
#include <widehash/internal/utf8.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

constexpr std::uint64_t inspect_block_bytes = std::uint64_t{4} << 20;
constexpr std::size_t tile_rows = 1024;
constexpr char stopped[] = "inspect: stopped as asked; no schema is proposed; start it again";
// A census stays in the cache while it takes this many rows of its field. With 2,000 fields this takes half
// the time of taking row after row, with Criteo's 40 three quarters.
constexpr std::size_t census_rows = 256;

std::string byte_name(char byte) {
  return byte == '\t' ? "tab" : byte == ' ' ? "space" : fmt::format("'{}'", byte);
}

// Checks the dialect options as the schema will, before anything is read.
void check_choice(const InspectOptions& options) {
  for (const auto& [byte, name] : {std::pair(options.delimiter, "delimiter"), {options.quote, "quote"}}) {
    if (!byte) continue;
    const bool may_be = name[0] == 'q' || *byte != '\0';
    if (!may_be || static_cast<unsigned char>(*byte) >= 0x80 || *byte == '\n' || *byte == '\r')
      throw ConfigError(fmt::format("the {} must be one ASCII character that does not end lines", name));
  }
  if (options.delimiter && options.delimiter == options.quote)
    throw ConfigError("the quote and the delimiter are the same character");
}

bool is_made_up_name(std::string_view name) {
  return name.size() > 1 && name[0] == 'f' &&
         name.substr(1).find_first_not_of("0123456789") == std::string_view::npos;
}

// Whether `word` occurs in `text` other than as part of a longer word.
bool holds_word(std::string_view text, std::string_view word) {
  const auto is_part = [&](std::size_t at) {
    return at < text.size() &&
           (detail::is_ascii_letter(text[at]) || detail::is_ascii_digit(text[at]) || text[at] == '_');
  };
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    if (!(at > 0 && is_part(at - 1)) && !is_part(at + word.size())) return true;
  }
  return false;
}

class Inspection {
 public:
  Inspection(const InspectOptions& options, const ProgressCallback& progress)
      : options_(options),
        progress_(stoppable_progress(options.stop, stopped, progress)),
        inputs_(expand_inputs(options.inputs)) {
    check_choice(options);
    FieldRoles{options.label, options.weight}.check();
    const bool has_stream =
        std::any_of(inputs_.begin(), inputs_.end(), [](const Input& input) { return input.is_stream; });
    for (const Input& input : inputs_) done_.bytes_total += has_stream ? 0 : input.size_bytes;
  }

  InspectReport run() {
    for (const Input& input : inputs_) {
      read(input);
      if (enough()) break;
    }
    // The program that writes to us may have ended by the same signal.
    if (stop_is_asked(options_.stop)) throw Stopped(stopped);
    if (census_.empty())
      throw DataError(inputs_.front().name(), 0,
                      empty_.size() == 1 ? "is empty: there is nothing to inspect"
                                         : "is empty, as all inputs are: there is nothing to inspect");
    check_rows();
    note_doubt();
    note_empty();
    for (const FieldCensus& field : census_) report_.fields.push_back(field.report());
    if (label_sample_) explain_label();
    report_.cardinality_standard_error = HyperLogLog().standard_error();
    propose_schema(guess_, {options_.label, options_.weight}, census_, report_);
    return report_;
  }

 private:
  std::size_t rows_wanted() const {
    return options_.max_rows == 0 ? tile_rows
                                  : std::min<std::uint64_t>(tile_rows, options_.max_rows - report_.rows);
  }

  bool enough() const { return options_.max_rows != 0 && report_.rows >= options_.max_rows; }

  // The beginning of the first input that has one determines the dialect of all inputs.
  void guess(const TextSample& beginning, const std::string& name) {
    const std::string_view sample = beginning.text;
    first_name_ = name;
    if (has_bare_returns(sample)) {
      throw DataError(name, 0, bare_returns_problem);
    }
    DialectHints hints{.delimiter = options_.delimiter,
                       .quote = options_.quote,
                       .known_field = options_.label.empty() ? options_.weight : options_.label};
    if (options_.header != HeaderChoice::automatic) hints.header = options_.header == HeaderChoice::yes;
    if (!beginning.is_whole && sample.find('\n') == std::string_view::npos) {
      throw DataError(name, 1, overlong_problem("the first row", false));
    }
    guess_ = guess_dialect(sample, beginning.is_whole, hints);
    if (guess_.fields.empty()) {
      throw DataError(name, 0, "has blank lines and no row: there is nothing to inspect");
    }
    if (!guess_.repeated_name.empty()) {
      throw DataError(name, 1,
                      fmt::format("the header names '{}' twice; give each field its own name, or use "
                                  "--header no if this line is data",
                                  guess_.repeated_name));
    }
    require_names_of_utf8(name);
    if (guess_.is_header_unsure && guess_.doubted_delimiter == '\0') {
      report_.notes.push_back(fmt::format(
          "the first line of {} is taken as data, but its texts occur nowhere else: if they name the "
          "fields, use --header yes",
          name));
    }
    for (std::string& doubt : doubts_about(sample, guess_.dialect.delimiter))
      report_.notes.push_back(std::move(doubt));
    for (const std::string& field : guess_.fields) census_.emplace_back(field);
    const std::string_view first_line = sample.substr(0, sample.find('\n'));
    require_field(options_.label, "the label", name, first_line);
    require_field(options_.weight, "the weight", name, first_line);
    if (!options_.label.empty()) label_sample_.emplace(census_.size());
  }

  void require_field(const std::string& field, const char* role, const std::string& name,
                     std::string_view first_line) const {
    if (field.empty() || std::ranges::find(guess_.fields, field) != guess_.fields.end()) return;
    const std::vector<std::string_view> known(guess_.fields.begin(), guess_.fields.end());
    throw ConfigError(fmt::format("{}: has no field '{}' to use as {}; its fields are: {}{}{}", name, field,
                                  role, shown_names(guess_.fields), did_you_mean(field, known),
                                  field_advice(field, first_line)));
  }

  // A schema contains the names of fields and must be UTF-8; the values may be any bytes.
  void require_names_of_utf8(const std::string& name) const {
    const auto bad =
        std::ranges::find_if_not(guess_.fields, [](const auto& field) { return is_utf8(field); });
    if (!guess_.has_header || bad == guess_.fields.end()) return;
    throw DataError(
        name, 1,
        fmt::format("the name of field {} is not UTF-8: {}; if it is Latin-1, read the file with `iconv -f "
                    "LATIN1 -t UTF-8 < FILE | widehash ... -`; it may also be another encoding",
                    bad - guess_.fields.begin() + 1, shown_value(*bad)));
  }

  // Why a field may be missing although the user knows that it exists.
  std::string field_advice(const std::string& field, std::string_view first_line) const {
    if (!guess_.has_header && holds_word(first_line, field) && options_.header == HeaderChoice::no) {
      return "; the first line has it: leave out --header no if that line names the fields";
    }
    if (holds_word(first_line, field)) {
      return fmt::format(
          "; the first line has it, but not as a separate field: give --delimiter and --quote if {} is not "
          "the delimiter",
          byte_name(guess_.dialect.delimiter));
    }
    if (!guess_.has_header)
      return "; the first line was taken as data: use --header yes if it names the fields";
    if (options_.header == HeaderChoice::automatic && is_made_up_name(field))
      return "; the first line was taken as the header: use --header no if it is data";
    return "";
  }

  // A proposal that would reject most of the table is useless.
  void check_rows() const {
    if (report_.rejected_rows <= report_.rows) return;
    const Dialect& dialect = guess_.dialect;
    throw DataError(
        first_name_, 0,
        fmt::format(
            "{1} of {0} rows cannot be read as the {2} fields guessed from the start of the file (delimiter "
            "{3}, "
            "{4}, {5}); the first is {6}; give --delimiter, --quote or --header yes|no if the guess is wrong",
            report_.rows + report_.rejected_rows, report_.rejected_rows, guess_.fields.size(),
            byte_name(dialect.delimiter),
            dialect.quote == '\0' ? "no quotes" : fmt::format("quote {}", byte_name(dialect.quote)),
            guess_.has_header ? "a header" : "no header", first_bad_row_));
  }

  void note_doubt() {
    if (guess_.doubted_delimiter == '\0') return;
    report_.notes.push_back(
        fmt::format("read as one field a row: split by {0}, the first line and the rows have different "
                    "numbers of fields; give --delimiter {0} if that is the delimiter",
                    byte_name(guess_.doubted_delimiter)));
  }

  void note_empty() {
    if (empty_.empty()) return;
    const bool is_one = empty_.size() == 1;
    report_.notes.push_back(fmt::format(
        "{} {} empty{}",
        is_one ? empty_.front() : fmt::format("{} and {} more inputs", empty_.front(), empty_.size() - 1),
        is_one ? "is" : "are",
        guess_.has_header ? ": other commands refuse empty inputs without --allow-empty" : ""));
  }

  void read(const Input& input) {
    auto source = open_text(input, options_.stop);
    TextSample sample = read_sample(*source);
    if (is_empty_text(sample.text)) {
      empty_.push_back(input.name());
      return;
    }
    if (census_.empty()) guess(text_to_guess_from(sample, input), input.name());
    source = put_back(std::move(sample.text), std::move(source));
    BlockReader reader(std::move(source), input.name(), guess_.dialect, guess_.has_header,
                       inspect_block_bytes, guess_.fields.size() == 1);
    const std::vector<std::string>& names = guess_.has_header ? reader.header_fields() : guess_.fields;
    take_columns(input.name(), names);
    RowParser parser(guess_.dialect, names.size());
    RowBatch rows;
    Block block;
    const std::uint64_t bytes_before = done_.bytes_done;
    std::uint64_t lines = reader.header_lines();
    while (!enough() && reader.next(block)) {
      parser.start(block.bytes);
      while (!enough() && parser.next(rows, rows_wanted())) {
        count(rows, input.name(), lines, names);
        if (!rows.bad_rows.empty()) note_bad_row(input.name(), lines, rows.bad_rows.front());
      }
      lines += block.num_lines;
      done_.rows = report_.rows;
      done_.bytes_done = bytes_before + reader.position();
      progress_(done_);
    }
  }

  /// Returns the beginning of a later input if the first has a single line that begins that one too: whether it is a
  /// header shows only in what is below it.
  TextSample text_to_guess_from(const TextSample& sample, const Input& first) const {
    constexpr std::size_t most_opened = 16;
    const auto line_of = [](const TextSample& text) { return text.text.substr(0, text.text.find('\n')); };
    const auto has_one_line = [&](const TextSample& text) {
      return text.is_whole && line_of(text).size() + 1 >= text.text.size();
    };
    if (!has_one_line(sample)) return sample;
    std::size_t opened = 0;
    for (const Input& input : inputs_) {
      if (&input == &first || input.is_stream || opened == most_opened) continue;
      ++opened;
      TextSample other = read_sample(*open_text(input, options_.stop));
      if (!has_one_line(other) && line_of(other) == line_of(sample)) return other;
    }
    return sample;
  }

  /// Sets the position of each field of the first input in this one. As in `fit` and `transform`, fields may
  /// be in any order and among others.
  void take_columns(const std::string& input, const std::vector<std::string>& names) {
    columns_.clear();
    std::unordered_map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < names.size(); ++i) places.emplace(names[i], i);
    for (const std::string& field : guess_.fields) {
      const auto found = places.find(field);
      if (found == places.end()) {
        throw DataError(
            input, 1,
            fmt::format(
                "has no field '{}', which {} has; its fields are: {}; inspect files of one table at a time",
                field, first_name_, shown_names(names)));
      }
      columns_.push_back(found->second);
    }
    if (names.size() > guess_.fields.size() && !std::exchange(has_more_fields_, true)) {
      report_.notes.push_back(fmt::format("{} has {} fields, but {} has {}: the extra fields were left out",
                                          input, names.size(), first_name_, guess_.fields.size()));
    }
  }

  void count(const RowBatch& rows, const std::string& input, std::uint64_t lines_before,
             const std::vector<std::string>& names) {
    good_rows_.clear();
    for (std::size_t row = 0; row < rows.num_rows; ++row) {
      const auto values = rows.row(row);
      if (guess_.has_header && names.size() > 1 && begins_header(values.front(), names.front()) &&
          std::ranges::equal(values.subspan(1), std::span(names).subspan(1)))
        note_bad_row(input, lines_before, {rows.lines[row], repeated_header, {}});
      else
        good_rows_.push_back(row);
    }
    if (label_sample_) {
      for (const std::size_t at : label_sample_->choose(good_rows_.size())) {
        const auto values = rows.row(good_rows_[at]);
        for (std::size_t field = 0; field < columns_.size(); ++field)
          label_sample_->add(field, values[columns_[field]]);
      }
    }
    // Each thread takes one field at a time, whose census it has to itself. One thread takes few rows at a
    // time, whose values then stay in the cache.
    const std::size_t rows_at_once = current_threads() == 1 ? census_rows : tile_rows;
    for (std::size_t first = 0; first < good_rows_.size(); first += rows_at_once) {
      const std::size_t last = std::min(first + rows_at_once, good_rows_.size());
      parallel_for(columns_.size(), [&](std::size_t field) {
        for (std::size_t i = first; i < last; ++i)
          census_[field].add(rows.row(good_rows_[i])[columns_[field]]);
      });
    }
    report_.rows += good_rows_.size();
    report_.rejected_rows += rows.bad_rows.size() + rows.num_rows - good_rows_.size();
  }

  void explain_label() {
    std::vector<const FieldCensus*> census;
    for (const FieldCensus& field : census_) census.push_back(&field);
    const auto label = std::ranges::find(guess_.fields, options_.label) - guess_.fields.begin();
    const auto explained = label_sample_->explained(census, static_cast<std::size_t>(label));
    for (std::size_t i = 0; i < explained.size(); ++i) report_.fields[i].label_explained = explained[i];
  }

  void note_bad_row(const std::string& name, std::uint64_t lines_before, const BadRow& row) {
    if (!first_bad_row_.empty()) return;
    first_bad_row_ = fmt::format("{}:{}: {}", name, lines_before + row.line + 1, row.reason);
    report_.notes.push_back(first_bad_row_ + "; it is the first row that was left out");
  }

  const InspectOptions& options_;
  const ProgressCallback progress_;
  std::vector<std::string> empty_;  // inputs without bytes
  std::string first_name_;          // name of the first input that is not empty
  std::vector<Input> inputs_;
  std::string first_bad_row_;  // with file and line; empty if there is none
  Progress done_;
  DialectGuess guess_;
  std::vector<FieldCensus> census_;
  std::optional<LabelSample> label_sample_;
  std::vector<std::size_t> columns_;    // position of each field in the current input
  std::vector<std::size_t> good_rows_;  // of a tile
  bool has_more_fields_ = false;
  InspectReport report_;
};

}  // namespace

ReadPlaces places_read(const InspectOptions& options) { return places_of(expand_inputs(options.inputs)); }

InspectReport inspect(const InspectOptions& options, const ProgressCallback& progress) {
  return Inspection(options, progress).run();
}

}  // namespace widehash
