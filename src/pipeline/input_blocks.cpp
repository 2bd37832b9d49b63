#include "input_blocks.hpp"

#include <widehash/byte_source.hpp>
#include <widehash/dialect_guess.hpp>

#include <string>
#include <utility>

namespace widehash {

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
      rows_counted_(inputs_.size(), 0) {}

void InputBlocks::open_next() {
  const Input& input = inputs_[current_];
  const Dialect dialect = dialect_of(schema_);
  auto source = open_source(input);
  std::size_t num_fields = schema_.fields.size();
  if (schema_.header) {
    // Whether a blank line is a row depends on the number of fields, which must be known before the first row is cut.
    std::string sample = read_sample(*source);
    const DialectHints known{dialect.delimiter, dialect.quote, dialect.trim, true};
    num_fields = guess_dialect(sample, sample.size() < sample_bytes, known).fields.size();
    source = put_back(std::move(sample), std::move(source));
  }
  reader_ = std::make_unique<BlockReader>(std::move(source), input.path == "-" ? "standard input" : input.path, dialect,
                                          schema_.header, block_bytes_, num_fields == 1);
  const auto& names = schema_.header ? reader_->header_fields() : schema_.fields;
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
    rows_counted_[current_] = reader_->rows_counted();
    finished_bytes_ += reader_->position();
    reader_.reset();
    ++current_;
  }
  return false;
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
