#include "table_texts.hpp"

#include "row_shape.hpp"
#include "schema_dialect.hpp"
#include "trimmed_rows.hpp"

#include <widehash/error.hpp>

#include <algorithm>
#include <span>
#include <string>

#include <fmt/format.h>

namespace widehash {

TableTexts::TableTexts(const Schema& schema, const ColumnTable& table, const FieldBinding& binding,
                       const std::function<bool(std::size_t feature)>& needs_texts)
    : table_(table), trims_(dialect_of(schema).trims()), binding_(binding) {
  if (binding.num_fields != table.names().size() ||
      (!binding.column_names.empty() && !std::ranges::equal(binding.column_names, table.names()))) {
    throw ShapeError("the table's columns are not those that were bound, or are in another order");
  }
  require_binding(schema, binding);
  if (!binding.folds.take_all())
    throw ConfigError("folds choose rows of text, but these are rows of a table; choose its rows beforehand");
  require_lists_fit(
      schema, binding, [&](std::size_t field) { return table.column(field).is_list(); },
      [&](std::size_t field) { return fmt::format("column '{}'", table.names()[field]); });
  place(binding_.label, true);
  place(binding_.weight, true);
  for (std::size_t i = 0; i < binding_.features.size(); ++i) {
    const bool needs_text = needs_texts(i);
    for (std::size_t& part : binding_.features[i]) place(part, needs_text);
  }
  // RowsView cannot have rows without fields. An empty field that nothing reads carries the number of rows.
  binding_.num_fields = std::max<std::size_t>(fields_.size(), 1);
  for (const Field& field : fields_) {
    const ValueColumn& column = table.column(field.position);
    if (table.num_rows() > 0) column.require_readable();
    lists_.push_back(column.is_list() ? 1 : 0);
  }
  if (std::ranges::count(lists_, 1) == 0) lists_.clear();
}

void TableTexts::place(std::size_t& position, bool needs_text) {
  if (position == FieldBinding::absent) return;
  const auto [found, is_new] = field_of_column_.emplace(position, fields_.size());
  if (is_new) fields_.push_back({position, false});
  position = found->second;
  fields_[position].needs_text = fields_[position].needs_text || needs_text;
}

RowsView TableTexts::read(std::size_t begin, std::size_t count, std::vector<std::string_view>& texts,
                          TextRoom& room) const {
  const std::size_t num_fields = binding_.num_fields;
  if (texts.size() < count * num_fields) texts.resize(count * num_fields);
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const ValueColumn& column = table_.column(fields_[i].position);
    if (column.is_list()) {
      column.read_lists(begin, count, &texts[i], num_fields, room);
    } else if (fields_[i].needs_text) {
      column.read(begin, count, &texts[i], num_fields, room);
      if (trims_) trim_values(std::span(texts).first(count * num_fields).subspan(i), num_fields);
    }
  }
  return {std::span(texts).first(count * num_fields), num_fields, lists_, true};
}

}  // namespace widehash
