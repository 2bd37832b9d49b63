#include "value_columns.hpp"

#include "row_runs.hpp"

#include <widehash/code.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/placed_values.hpp>

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

namespace widehash {
namespace {

/// Rows processed together: their fields, text and lanes fit the L1 cache.
constexpr std::size_t rows_at_once = 32;
/// Values in the column of a multi-valued feature or a cross, of which a row may have very many.
constexpr std::size_t most_values = 8192;
constexpr std::size_t built_buffer_bytes = std::size_t{16} << 10;

constexpr std::size_t most_rows_to_count = 1024;
constexpr std::size_t values_to_count = std::size_t{1} << 18;

}  // namespace

std::size_t rows_to_count(const Schema& schema) noexcept {
  return std::clamp<std::size_t>(values_to_count / (schema.features.size() + 1), 1, most_rows_to_count);
}

ValueColumns::ValueColumns(const Schema& schema, std::span<const ValueReader> readers)
    : schema_(schema), readers_(readers), missing_words_(schema.missing_values) {
  for (std::size_t f = 0; f < schema.features.size(); ++f) {
    const Feature& feature = schema.features[f];
    if (feature.encoding == Encoding::numeric || feature.encoding == Encoding::ignore) continue;
    const bool is_plain =
        !feature.makes_values() && feature.separator.empty() && schema.hash == HashKind::xxh64;
    Column& column = (is_plain ? plain_ : composed_).emplace_back();
    column.feature = f;
    if (feature.makes_values()) column.built = std::make_unique_for_overwrite<char[]>(built_buffer_bytes);
  }
}

void ValueColumns::add(const RowsView& rows, std::span<const std::size_t> sources,
                       const FieldBinding& binding, TableBuilder& builder) {
  while (!sources.empty()) {
    const auto part = sources.first(std::min(sources.size(), rows_at_once));
    sources = sources.subspan(part.size());
    add_plain(rows, part, binding);
    add_composed(rows, part, binding, builder);
  }
}

void ValueColumns::add(const PlacedRows& rows, std::span<const std::size_t> sources,
                       const FieldBinding& binding, TableBuilder& builder) {
  add_plain(rows, sources, binding);
  add_composed(rows, sources, binding, builder);
}

template <class Rows>
void ValueColumns::add_composed(const Rows& rows, std::span<const std::size_t> sources,
                                const FieldBinding& binding, TableBuilder& builder) {
  for (Column& column : composed_) {
    const auto& fields = binding.features[column.feature];
    const bool is_built = column.built != nullptr;
    for (const std::size_t row : sources) {
      readers_[column.feature].for_each_value(rows, row, fields, scratch_, [&](std::string_view value) {
        add_value(column, value, is_built, builder);
      });
    }
  }
}

void ValueColumns::add_plain(const RowsView& rows, std::span<const std::size_t> sources,
                             const FieldBinding& binding) {
  // A lane row holds a feature here: the values of one feature share a vector, and mostly have the same
  // length.
  const std::size_t num_rows = sources.size();
  std::array<const std::string_view*, rows_at_once> row_fields{};
  for (std::size_t i = 0; i < num_rows; ++i) row_fields[i] = &rows.values[sources[i] * rows.num_fields];
  lanes_.reshape(plain_.size(), num_rows);
  for (std::size_t j = 0; j < plain_.size(); ++j) {
    const std::size_t field = binding.features[plain_[j].feature][0];
    const std::size_t lane = lanes_.at(j, 0);
    for (std::size_t i = 0; i < num_rows; ++i) {
      require_length(plain_[j].feature, row_fields[i][field]);
      lanes_.set(lane + i, row_fields[i][field]);
    }
  }
  for (const std::string& text : schema_.missing_values) lanes_.blank(text);
  lanes_.hash_xxh64(schema_.seed);
  for (std::size_t j = 0; j < plain_.size(); ++j) {
    Column& column = plain_[j];
    const std::size_t field = binding.features[column.feature][0];
    const bool skips_missing = readers_[column.feature].skips_missing();
    const std::size_t lane = lanes_.at(j, 0);
    const std::uint64_t* const hashes = lanes_.hashes().data() + lane;
    std::size_t used = column.values.size();
    column.values.resize(used + num_rows);
    HashedValue* const out = column.values.data();
    for (std::size_t i = 0; i < num_rows; ++i) {
      const bool missing = lanes_.is_empty(lane + i);
      out[used] = HashedValue(missing ? std::string_view() : row_fields[i][field], hashes[i]);
      used += missing && skips_missing ? 0 : 1;
    }
    column.values.resize(used);
  }
}

void ValueColumns::add_plain(const PlacedRows& rows, std::span<const std::size_t> sources,
                             const FieldBinding& binding) {
  while (!sources.empty()) {
    const std::size_t count = run_length(sources, sources.size());
    const PlacedRows run = rows.rows(sources[0], count);
    for (Column& column : plain_) {
      const PlacedFields values = run.fields(binding.features[column.feature][0], 1);
      const std::size_t used = column.values.size();
      column.values.resize(used + count);
      HashedValue* const added = column.values.data() + used;
      hash_places(values, schema_.seed, missing_words_.words(), added);
      if (!readers_[column.feature].skips_missing()) continue;
      HashedValue* const end =
          std::remove_if(added, added + count, [](const HashedValue& value) { return value.length() == 0; });
      column.values.resize(static_cast<std::size_t>(end - column.values.data()));
    }
    sources = sources.subspan(count);
  }
}

void ValueColumns::require_length(std::size_t feature, std::string_view value) const {
  if (value.size() < HashedValue::max_bytes) return;
  throw ConfigError(fmt::format("a value of feature '{}' has {} bytes; a table holds less than 4 GiB",
                                schema_.features[feature].name, value.size()));
}

void ValueColumns::add_value(Column& column, std::string_view value, bool is_built, TableBuilder& builder) {
  if (schema_.hash != HashKind::xxh64) {
    builder.add(column.feature, value);
    return;
  }
  require_length(column.feature, value);
  if (column.values.size() == most_values) count(column, builder);
  const std::uint64_t hash = hash_xxh64(value, schema_.seed);
  if (is_built && value.size() > HashedValue::inline_bytes) {
    if (value.size() > built_buffer_bytes - column.built_bytes) count(column, builder);
    if (value.size() > built_buffer_bytes) {
      builder.add(column.feature, value);
      return;
    }
    char* const kept = column.built.get() + column.built_bytes;
    std::memcpy(kept, value.data(), value.size());
    column.built_bytes += value.size();
    value = {kept, value.size()};
  }
  column.values.emplace_back(value, hash);
}

void ValueColumns::count(Column& column, TableBuilder& builder) {
  builder.add_many(column.feature, column.values);
  column.values.clear();
  column.built_bytes = 0;
}

void ValueColumns::flush(TableBuilder& builder, std::size_t first) {
  for (auto* const columns : {&plain_, &composed_}) {
    for (std::size_t i = 0; i < columns->size(); ++i) {
      Column& column = (*columns)[(first + i) % columns->size()];
      if (!column.values.empty()) count(column, builder);
    }
  }
}

}  // namespace widehash
