#include "input_reader.hpp"

#include "encode/schema_dialect.hpp"

#include <widehash/internal/byte_source.hpp>
#include <widehash/internal/dialect_guess.hpp>

#include <set>
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

InputReader::InputReader(const Schema& schema, const RowRules& rules, const Input& input,
                         std::uint64_t block_bytes, bool needs_label) {
  const Dialect dialect = dialect_of(schema);
  auto source = open_text(input);
  bool has_one_field = !schema.header && schema.fields.size() == 1;
  if (schema.header && one_field_suffices(schema, needs_label)) {
    // With one field a blank line is a row, and that must be known before the first row is cut.
    std::string sample = read_sample(*source);
    const DialectHints known{dialect.delimiter, dialect.quote, dialect.trim, true};
    has_one_field = guess_dialect(sample, sample.size() < sample_bytes, known).fields.size() == 1;
    source = put_back(std::move(sample), std::move(source));
  }
  reader_ = std::make_unique<BlockReader>(std::move(source), input.name(), dialect, schema.header,
                                          block_bytes, has_one_field);
  const auto& names = schema.header ? reader_->header_fields() : schema.fields;
  start_.header_lines = reader_->header_lines();
  start_.dealt_by_block = reader_->leave_on_disk(input);
  start_.stays_on_disk = reader_->is_on_disk();
  start_.binding = std::make_shared<const FieldBinding>(rules.bind(names, input.name(), needs_label));
}

}  // namespace widehash
