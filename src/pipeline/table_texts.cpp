#include "table_texts.hpp"

#include <widehash/error.hpp>

#include <algorithm>
#include <span>
#include <string>

#include <fmt/format.h>

namespace widehash {

TableTexts::TableTexts(const Schema& schema, const ColumnTable& table, const FieldBinding& binding,
                       const std::function<bool(std::size_t feature)>& needs_texts)
    : table_(table), binding_(binding) {
  if (binding.num_fields != table.names().size()) {
    throw ShapeError("a table of other columns than those that were bound");
  }
  require_single(binding_.label, "the label", "");
  require_single(binding_.weight, "the weight", "");
  place(binding_.label, true);
  place(binding_.weight, true);
  for (std::size_t i = 0; i < binding_.features.size(); ++i) {
    const Feature& feature = schema.features[i];
    if (feature.separator.empty()) {
      for (const std::size_t part : binding_.features[i]) {
        require_single(part, "feature '" + feature.name + "'",
                       "; give it a separator in the schema, which makes it multi-valued");
      }
    }
    const bool needs_text = needs_texts(i);
    for (std::size_t& part : binding_.features[i]) place(part, needs_text);
  }
  // Rows of no fields would be none; one that nobody reads, and that is empty, says how many there are.
  binding_.num_fields = std::max<std::size_t>(fields_.size(), 1);
  for (const Field& field : fields_) lists_.push_back(table.column(field.position).is_list() ? 1 : 0);
  lists_.resize(binding_.num_fields);
}

void TableTexts::require_single(std::size_t position, const std::string& user, const char* remedy) const {
  if (position == FieldBinding::absent || !table_.column(position).is_list()) return;
  throw ConfigError(fmt::format("{} takes one value a row, and column '{}' holds lists{}", user,
                                table_.names()[position], remedy));
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
    }
  }
  return {std::span(texts).first(count * num_fields), num_fields, lists_};
}

}  // namespace widehash
