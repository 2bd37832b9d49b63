#include "input_reader.hpp"

#include "encode/bare_returns.hpp"
#include "encode/schema_dialect.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/byte_source.hpp>
#include <widehash/internal/dialect_guess.hpp>

#include <set>
#include <string_view>
#include <utility>

namespace widehash {
namespace {

// Whether a file with a header could have a single field and still have everything that is required of it.
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

InputReader::InputReader(const RunInputs& run, const Input& input) {
  const Schema& schema = run.schema;
  const Dialect dialect = dialect_of(schema);
  auto source = open_text(input, run.stop);
  bool has_one_field = !schema.header && schema.fields.size() == 1;
  // With one field a blank line is a row. This must be known before the first row is split.
  const bool may_have_one_field = schema.header && one_field_suffices(schema, run.needs_label);
  if (may_have_one_field || (schema.header && run.allow_empty)) {
    TextSample sample = read_sample(*source);
    if (run.allow_empty && is_empty_text(sample.text)) {
      empty_bytes_ = source->position();
      return;
    }
    const DialectHints known{dialect.delimiter, dialect.quote, dialect.trim, true};
    if (may_have_one_field)
      has_one_field = guess_dialect(sample.text, sample.is_whole, known).fields.size() == 1;
    source = put_back(std::move(sample.text), std::move(source));
  }
  reader_ = std::make_unique<BlockReader>(std::move(source), input.name(), dialect, schema.header,
                                          run.block_bytes, has_one_field);
  const auto& names = schema.header ? reader_->header_fields() : schema.fields;
  if (schema.header && hold_bare_returns(names)) throw DataError(input.name(), 0, bare_returns_problem);
  start_.header_lines = reader_->header_lines();
  start_.dealt_by_block = reader_->leave_on_disk(input);
  start_.stays_on_disk = reader_->is_on_disk();
  FieldBinding binding = run.rules.bind(names, input.name(), run.needs_label);
  // The name of a single field may also be a value.
  if (names.size() > 1) binding.header = names;
  start_.binding = std::make_shared<const FieldBinding>(std::move(binding));
}

}  // namespace widehash
