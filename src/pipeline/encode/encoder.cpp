#include "code_slots.hpp"
#include "feature_encoder.hpp"
#include "good_rows.hpp"
#include "row_rules.hpp"
#include "row_shape.hpp"
#include "schema_dialect.hpp"
#include "table_texts.hpp"
#include "trimmed_rows.hpp"

#include <widehash/encoder.hpp>
#include <widehash/error.hpp>

#include <algorithm>
#include <deque>
#include <optional>

#include <fmt/format.h>

namespace widehash {
namespace {

bool needs_table(const Feature& feature) noexcept {
  return feature.encoding == Encoding::exact ||
         (feature.encoding == Encoding::numeric && feature.transform == NumericTransform::standardize);
}

void require_lists(const RowsView& rows, const Schema& schema, const FieldBinding& binding) {
  if (rows.lists.size() != rows.num_fields) {
    throw ShapeError(fmt::format("rows of {} fields with `lists` of {}", rows.num_fields, rows.lists.size()));
  }
  require_lists_fit(
      schema, binding, [&](std::size_t field) { return rows.is_list(field); },
      [](std::size_t field) { return fmt::format("field {}", field + 1); });
}

}  // namespace

bool needs_tables(const Schema& schema) noexcept { return std::ranges::any_of(schema.features, needs_table); }

struct Encoder::Plan {
  Schema schema;
  RowRules rules;
  bool trims;
  std::deque<LookupTable> tables;  // of the exact features
  std::vector<FeatureEncoder> features;
  std::vector<std::uint32_t> head_columns;
  std::shared_ptr<const CodeLayout> layout;
  std::optional<CodeSlots> code_slots;    // where the hash is XXH64
  std::vector<std::size_t> hashed_alone;  // positions of the features that code_slots does not fill,
  std::vector<std::size_t> ragged;        // and of those whose slots are ragged

  Plan(Schema given, const std::string& tables_directory, CodeBytes bytes)
      : schema((check_schema(given, "schema"), std::move(given))),
        rules(schema),
        trims(dialect_of(schema).trims()) {
    std::string tables_fingerprint;
    make_features(tables_directory, tables_fingerprint);
    layout = std::make_shared<const CodeLayout>(
        make_layout(schema, head_columns, bytes, std::move(tables_fingerprint)));
    for (std::size_t i = 0; i < features.size(); ++i) features[i].place(layout->blocks[i]);
    if (schema.hash == HashKind::xxh64) code_slots.emplace(schema, *layout);
    for (std::size_t i = 0; i < features.size(); ++i) {
      const FeatureBlock& block = layout->blocks[i];
      const bool is_hashed = block.encoding != Encoding::numeric && block.encoding != Encoding::ignore;
      if (block.slot_kind == SlotKind::ragged) {
        ragged.push_back(i);
      } else if (is_hashed && !(code_slots && block.has_codes())) {
        hashed_alone.push_back(i);
      }
    }
  }

  void make_features(const std::string& tables_directory, std::string& tables_fingerprint) {
    const bool wants_tables = needs_tables(schema);
    TableSet set;
    if (wants_tables && tables_directory.empty()) {
      const auto& first = *std::ranges::find_if(schema.features, needs_table);
      throw ConfigError(
          fmt::format("feature '{}' needs lookup tables; make them with `widehash fit` and give their "
                      "folder with --tables",
                      first.name));
    }
    // Loads the tables even if no feature needs them: a mistyped path or the tables of another schema are a
    // mistake.
    if (!tables_directory.empty()) set = load_table_set(tables_directory, &schema);
    if (wants_tables) tables_fingerprint = set.fingerprint;
    for (std::size_t i = 0; i < schema.features.size(); ++i) {
      const Feature& feature = schema.features[i];
      const LookupTable* table = nullptr;
      if (feature.encoding == Encoding::exact) {
        tables.push_back(open_table(set, i));
        table = &tables.back();
      }
      features.emplace_back(schema, feature, table,
                            needs_table(feature) ? &set.items.at(i).moments : nullptr);
      head_columns.push_back(features.back().head_columns());
    }
  }
};

struct EncodeScratch::Impl {
  CodeScratch codes;
  std::vector<std::size_t> sources;  // of the rows that can be encoded
  std::vector<double> numbers;       // of the numeric features of those rows
  std::vector<std::string_view> trimmed;
  HashedScratch hashed;
  GoodRowScratch good_rows;
};

void throw_bad_row(std::size_t rows_before, const EncodeIssue& issue) {
  throw DataError(memory_source, rows_before + issue.row + 1,
                  issue.reason + "; fix the row, or leave bad rows out with --max-bad-rows N");
}

EncodeScratch::EncodeScratch() : impl_(std::make_unique<Impl>()) {}
EncodeScratch::~EncodeScratch() = default;
EncodeScratch::EncodeScratch(EncodeScratch&&) noexcept = default;
EncodeScratch& EncodeScratch::operator=(EncodeScratch&&) noexcept = default;
std::uint64_t EncodeScratch::other_fold_rows() const noexcept { return impl_->good_rows.other_fold_rows; }

Encoder::Encoder(Schema schema) : Encoder(std::move(schema), std::string()) {}

Encoder::Encoder(Schema schema, const std::string& tables_directory, CodeBytes code_bytes) {
  auto plan = std::make_unique<Plan>(std::move(schema), tables_directory, code_bytes);
  plan_ = std::move(plan);
}

Encoder::~Encoder() = default;
Encoder::Encoder(Encoder&&) noexcept = default;
Encoder& Encoder::operator=(Encoder&&) noexcept = default;

const Schema& Encoder::schema() const noexcept { return plan_->schema; }
const std::shared_ptr<const CodeLayout>& Encoder::layout() const noexcept { return plan_->layout; }
CodeBytes Encoder::code_bytes() const noexcept { return plan_->layout->code_bytes; }
const std::vector<std::uint32_t>& Encoder::head_columns() const noexcept { return plan_->head_columns; }
const EncodingFingerprint& Encoder::fingerprint() const noexcept { return plan_->layout->fingerprint; }
const std::vector<std::string>& Encoder::field_names() const noexcept { return plan_->rules.field_names(); }

FieldBinding Encoder::bind(std::span<const std::string> field_names, const std::string& source_name,
                           bool needs_label) const {
  return plan_->rules.bind(field_names, source_name, needs_label);
}

FieldBinding Encoder::bind(std::span<const std::string> field_names, const std::string& source_name,
                           bool needs_label, const Folds& folds) const {
  return RowRules(plan_->schema, {}, folds).bind(field_names, source_name, needs_label);
}

FieldBinding Encoder::bind(const ColumnTable& table, bool needs_label) const {
  return plan_->rules.bind(table, needs_label);
}

CodeBatch Encoder::encode(const RowsView& rows) const {
  CodeBatch batch(plan_->layout);
  std::vector<EncodeIssue> issues;
  encode(rows, bind(field_names(), "rows in memory", true), batch, issues);
  if (!issues.empty()) throw DataError("rows in memory", issues.front().row + 1, issues.front().reason);
  return batch;
}

void Encoder::encode(const RowsView& rows, const FieldBinding& binding, CodeBatch& batch,
                     std::vector<EncodeIssue>& issues) const {
  EncodeScratch scratch;
  encode(rows, binding, batch, issues, scratch);
}

void Encoder::encode(const RowsView& rows, const FieldBinding& binding, CodeBatch& batch,
                     std::vector<EncodeIssue>& issues, EncodeScratch& memory) const {
  batch.require_layout(*layout());
  if (rows.values.empty()) return;
  if (rows.num_fields == binding.num_fields && rows.values.size() % rows.num_fields != 0) {
    throw ShapeError(
        fmt::format("{} values are no whole rows of {} fields", rows.values.size(), rows.num_fields));
  }
  if (rows.num_fields != binding.num_fields) {
    throw ShapeError(fmt::format("rows of {} fields ({} values) where {} fields were bound", rows.num_fields,
                                 rows.values.size(), binding.num_fields));
  }
  require_binding(plan_->schema, binding);
  if (!rows.lists.empty()) require_lists(rows, plan_->schema, binding);
  RowsView read = rows;
  if (plan_->trims && !rows.are_trimmed) {
    std::vector<std::string_view>& values = memory.impl_->trimmed;
    values.assign(rows.values.begin(), rows.values.end());
    for (std::size_t field = 0; field < rows.num_fields; ++field) {
      if (!rows.is_list(field)) trim_values(std::span(values).subspan(field), rows.num_fields);
    }
    read.values = values;
  }
  encode_rows(read, read.num_rows(), binding, batch, issues, memory);
}

bool Encoder::takes_places() const noexcept { return plan_->code_slots.has_value(); }

void Encoder::encode(const PlacedRows& rows, const FieldBinding& binding, CodeBatch& batch,
                     std::vector<EncodeIssue>& issues, EncodeScratch& memory) const {
  if (rows.num_fields != binding.num_fields) {
    throw ShapeError(
        fmt::format("rows of {} fields where {} fields were bound", rows.num_fields, binding.num_fields));
  }
  require_binding(plan_->schema, binding);
  encode_rows(rows, rows.num_rows, binding, batch, issues, memory);
}

template <class Rows>
void Encoder::encode_rows(const Rows& rows, std::size_t num_rows, const FieldBinding& binding,
                          CodeBatch& batch, std::vector<EncodeIssue>& issues, EncodeScratch& memory) const {
  const CodeLayout& layout = *plan_->layout;
  const std::size_t first_row = batch.num_rows();
  EncodeScratch::Impl& scratch = *memory.impl_;
  const std::vector<std::size_t>& sources = scratch.sources;
  read_rows(rows, num_rows, binding, batch, issues, memory);

  if (plan_->code_slots) plan_->code_slots->encode(rows, sources, binding, batch, first_row, scratch.codes);
  fill_numbers(batch, first_row, memory);
  for (const std::size_t i : plan_->hashed_alone) {
    plan_->features[i].encode_hashed(rows, sources, binding.features[i], batch, first_row, scratch.hashed);
  }
  if (!layout.has_ragged) return;
  constexpr std::size_t rows_ahead = 8;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (const std::size_t f : plan_->ragged) {
      if (sources.size() - i > rows_ahead)
        plan_->features[f].prefetch_ragged(rows, sources[i + rows_ahead], binding.features[f]);
      plan_->features[f].append_ragged(rows, sources[i], binding.features[f], scratch.hashed.text,
                                       batch.ragged);
    }
    batch.ragged_offsets[first_row + i + 1] = batch.ragged.size();
  }
}

template <class Rows>
void Encoder::read_rows(const Rows& rows, std::size_t num_rows, const FieldBinding& binding, CodeBatch& batch,
                        std::vector<EncodeIssue>& issues, EncodeScratch& memory) const {
  const CodeLayout& layout = *plan_->layout;
  batch.require_layout(layout);
  const std::size_t first_row = batch.num_rows();
  EncodeScratch::Impl& scratch = *memory.impl_;
  std::vector<std::size_t>& sources = scratch.sources;
  sources.clear();
  const std::size_t num_numbers = plan_->rules.num_numbers();
  scratch.numbers.resize(num_rows * num_numbers);
  batch.resize(first_row + num_rows);
  for_each_good_row(
      plan_->rules, rows, num_rows, binding, 0, scratch.good_rows, issues,
      [&] { return scratch.numbers.data() + sources.size() * num_numbers; },
      [&](std::size_t row, float target, float weight) {
        const std::size_t to = first_row + sources.size();
        if (layout.has_targets) batch.targets[to] = target;
        if (layout.has_weights) batch.weights[to] = weight;
        sources.push_back(row);
      });
  batch.truncate(first_row + sources.size());
}

void Encoder::fill_numbers(CodeBatch& batch, std::size_t first_row, const EncodeScratch& memory) const {
  const EncodeScratch::Impl& scratch = *memory.impl_;
  const double* numbers = scratch.numbers.data();
  for (const std::size_t i : plan_->rules.numeric_features()) {
    plan_->features[i].encode_numbers(numbers++, plan_->rules.num_numbers(), scratch.sources.size(), batch,
                                      first_row);
  }
}

}  // namespace widehash
