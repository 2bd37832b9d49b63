#include "input_blocks.hpp"

#include <widehash/error.hpp>

#include <fmt/format.h>

#include <algorithm>

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
  const bool one_field = !schema_.header && schema_.fields.size() == 1;
  reader_ = std::make_unique<BlockReader>(input, dialect_of(schema_), schema_.header, block_bytes_, one_field);
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
