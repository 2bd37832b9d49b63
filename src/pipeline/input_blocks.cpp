#include "input_blocks.hpp"

#include <widehash/byte_source.hpp>
#include <widehash/dialect_guess.hpp>

#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace widehash {
namespace {

// Whether a file with a header could have a single field and still all that is asked of it.
bool one_field_suffices(const Schema& schema, bool needs_label) {
  std::set<std::string_view> needed;
  if (needs_label && !schema.label.field.empty()) needed.insert(schema.label.field);
  if (needs_label && !schema.weight.empty()) needed.insert(schema.weight);
  for (const Feature& feature : schema.features) {
    if (feature.encoding != Encoding::ignore) needed.insert(feature.fields.begin(), feature.fields.end());
  }
  return needed.size() <= 1;
}

}  // namespace

Dialect dialect_of(const Schema& schema) {
  return {schema.delimiter, schema.quote, schema.trim, schema.max_field_bytes};
}

InputBlocks::InputBlocks(const Schema& schema, const RowRules& rules, std::vector<Input> inputs,
                         std::uint64_t block_bytes, bool needs_label)
    : schema_(schema),
      rules_(rules),
      inputs_(std::move(inputs)),
      block_bytes_(block_bytes),
      needs_label_(needs_label),
      rows_counted_(inputs_.size(), 0),
      lines_before_(inputs_.size(), 0) {}

void InputBlocks::open_next() {
  const Input& input = inputs_[current_];
  const Dialect dialect = dialect_of(schema_);
  auto source = open_source(input);
  bool has_one_field = !schema_.header && schema_.fields.size() == 1;
  if (schema_.header && one_field_suffices(schema_, needs_label_)) {
    // With one field a blank line is a row, and that must be known before the first row is cut.
    std::string sample = read_sample(*source);
    const DialectHints known{dialect.delimiter, dialect.quote, dialect.trim, true};
    has_one_field = guess_dialect(sample, sample.size() < sample_bytes, known).fields.size() == 1;
    source = put_back(std::move(sample), std::move(source));
  }
  reader_ =
      std::make_unique<BlockReader>(std::move(source), input.path == "-" ? "standard input" : input.path,
                                    dialect, schema_.header, block_bytes_, has_one_field);
  const auto& names = schema_.header ? reader_->header_fields() : schema_.fields;
  lines_before_[current_] = reader_->header_lines();
  reader_->leave_on_disk(input);
  binding_ = std::make_shared<const FieldBinding>(rules_.bind(names, input.path, needs_label_));
}

bool InputBlocks::next(InputBlock& out) {
  while (current_ < inputs_.size()) {
    if (reader_ == nullptr) open_next();
    if (reader_->next(out.block)) {
      out.input = current_;
      out.binding = binding_;
      out.bytes_done = finished_bytes_ + reader_->position();
      return true;
    }
    finished_bytes_ += reader_->position();
    reader_.reset();
    ++current_;
  }
  return false;
}

void InputBlocks::settle(const InputBlock& block, std::vector<RejectedRow>& rejected) {
  for (RejectedRow& row : rejected) row.line += lines_before_[block.input] + 1;
  lines_before_[block.input] += block.block.num_lines;
  rows_counted_[block.input] += block.block.num_rows;
}

std::uint64_t InputBlocks::bytes_total() const noexcept {
  std::uint64_t total = 0;
  for (const Input& input : inputs_) {
    if (input.is_stream) return 0;
    total += input.size_bytes;
  }
  return total;
}

}  // namespace widehash
