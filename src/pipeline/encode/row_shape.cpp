#include "row_shape.hpp"

#include <widehash/error.hpp>
#include <widehash/folds.hpp>
#include <widehash/internal/utf8.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace widehash {

void require_binding(const Schema& schema, const FieldBinding& binding) {
  const auto is_there = [&](std::size_t field) { return field < binding.num_fields; };
  // The fields of the label and the weight may be absent, and must be where the schema has none.
  const auto fits = [&](std::size_t field, const std::string& name) {
    return field == FieldBinding::absent || (!name.empty() && is_there(field));
  };
  bool good = binding.features.size() == schema.features.size() && fits(binding.label, schema.label.field) &&
              fits(binding.weight, schema.weight) &&
              (binding.fold_field == FieldBinding::absent || is_there(binding.fold_field));
  for (std::size_t i = 0; good && i < schema.features.size(); ++i) {
    const Feature& feature = schema.features[i];
    const auto& fields = binding.features[i];
    const bool is_read = feature.encoding != Encoding::ignore;
    good = fields.size() == (is_read ? feature.fields.size() : 0) && std::ranges::all_of(fields, is_there);
  }
  if (!good) throw ShapeError("the fields were bound for another schema; bind them with this encoder");
  check_folds(binding.folds);
  if (!binding.folds.by.empty() && binding.fold_field == FieldBinding::absent) {
    throw ConfigError(fmt::format(
        "the field '{}' decides the folds, but it is not bound; give the folds to Encoder::bind()",
        printable(binding.folds.by, binding.folds.by.size())));
  }
}

void require_lists_fit(const Schema& schema, const FieldBinding& binding,
                       const std::function<bool(std::size_t)>& is_list,
                       const std::function<std::string(std::size_t)>& name_of) {
  const auto require_single = [&](std::size_t field, const std::string& user, const std::string& remedy) {
    if (field == FieldBinding::absent || !is_list(field)) return;
    throw ConfigError(
        fmt::format("{} takes one value a row, but {} holds lists{}", user, name_of(field), remedy));
  };
  const std::string single = "; give the table a column with a single value in each row";
  require_single(binding.label, "the label", single);
  require_single(binding.weight, "the weight", single);
  for (std::size_t i = 0; i < binding.features.size(); ++i) {
    const Feature& feature = schema.features[i];
    if (!feature.separator.empty()) continue;
    const std::string remedy =
        feature.encoding == Encoding::numeric
            ? "; leave it out of the schema, or give the table a column with a single number"
            : fmt::format("; give feature '{}' a separator in the schema, which makes it multi-valued",
                          feature.name);
    for (const std::size_t field : binding.features[i]) {
      require_single(field, "feature '" + feature.name + "'", remedy);
    }
  }
}

}  // namespace widehash
