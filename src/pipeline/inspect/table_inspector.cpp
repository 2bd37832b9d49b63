#include "encode/table_texts.hpp"
#include "field_census.hpp"
#include "label_sample.hpp"
#include "schema_proposal.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/suggest.hpp>
#include <widehash/internal/value_list.hpp>
#include <widehash/table_inspector.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace widehash {
namespace {

constexpr std::size_t tile_rows = 1024;

}  // namespace

class TableInspector::Impl {
 public:
  Impl(FieldRoles roles, std::uint64_t max_rows) : roles_(std::move(roles)), max_rows_(max_rows) {
    roles_.check();
  }

  void append(const ColumnTable& table) {
    if (names_.empty()) require_roles(table);
    if (!names_.empty() && table.names() != names_) throw_other_columns();
    std::vector<Column> fresh;
    // A table without rows may not know which kind its columns are.
    if (columns_.empty() && table.num_rows() > 0) fresh = columns_like(table.names(), &table);
    for (std::size_t i = 0; i < columns_.size() && table.num_rows() > 0; ++i) {
      if (table.column(i).is_list() != columns_[i].census.holds_lists()) throw_other_columns();
    }
    for (std::size_t i = 0; i < table.names().size(); ++i) {
      if (has_role(table.names()[i])) table.column(i).require_readable();
    }
    names_ = table.names();
    if (!fresh.empty()) {
      columns_ = std::move(fresh);
      if (!roles_.label.empty()) label_sample_.emplace(columns_.size());
    }
    if (table.num_rows() == 0) return;
    const std::uint64_t wanted = max_rows_ == 0 ? table.num_rows() : max_rows_ - rows_;
    const std::size_t num_rows = std::min<std::uint64_t>(table.num_rows(), wanted);
    if (label_sample_) label_sample_->choose(num_rows);
    parallel_for(columns_.size(), [&](std::size_t i) {
      if (columns_[i].why_left_out.empty()) count(i, table.column(i), num_rows);
    });
    rows_ += num_rows;
  }

  InspectReport report() const {
    if (names_.empty()) throw ConfigError("there is no table with columns to inspect");
    InspectReport report;
    report.rows = rows_;
    report.cardinality_standard_error = HyperLogLog().standard_error();
    std::vector<FieldCensus> used;
    const std::vector<Column> columns = columns_.empty() ? columns_like(names_, nullptr) : columns_;
    const std::vector<std::optional<double>> explained = label_explained(columns);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Column& column = columns[i];
      if (column.why_left_out.empty()) {
        used.push_back(column.census);
        report.fields.push_back(column.census.report());
        report.fields.back().label_explained = explained[i];
      } else {
        report.notes.push_back("left out: " + column.why_left_out);
        report.left_out.push_back(column.why_left_out);
      }
    }
    // Columns are found by name, so the schema need not list the fields.
    DialectGuess guess;
    guess.has_header = true;
    propose_schema(guess, roles_, used, report);
    return report;
  }

 private:
  struct Column {
    FieldCensus census;
    std::string why_left_out = {};
  };

  void require_roles(const ColumnTable& table) const {
    const auto& names = table.names();
    for (const auto& [field, role] : {std::pair(roles_.label, "label"), std::pair(roles_.weight, "weight")}) {
      if (field.empty() || std::ranges::find(names, field) != names.end()) continue;
      const std::vector<std::string_view> known(names.begin(), names.end());
      throw ConfigError(fmt::format("{}: has no field '{}' to use as the {}; its fields are: {}{}",
                                    memory_source, field, role, fmt::join(names, ", "),
                                    did_you_mean(field, known)));
    }
  }

  /// One column for each name, of the kind that the table has; of single values where there is no table.
  std::vector<Column> columns_like(const std::vector<std::string>& names, const ColumnTable* table) const {
    std::vector<Column> columns;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool holds_lists = table != nullptr && table->column(i).is_list();
      if (holds_lists && has_role(names[i])) {
        throw ConfigError(
            fmt::format("the {} takes one value a row, but column '{}' holds lists; "
                        "give the table a column with a single value in each row",
                        names[i] == roles_.label ? "label" : "weight", names[i]));
      }
      columns.push_back({FieldCensus(names[i], holds_lists)});
    }
    return columns;
  }

  [[noreturn]] void throw_other_columns() const {
    throw ConfigError(
        fmt::format("{}: its columns are not those of the previous table ({}); give tables of the "
                    "same columns, in this order",
                    memory_source, fmt::join(names_, ", ")));
  }

  std::vector<std::optional<double>> label_explained(const std::vector<Column>& columns) const {
    if (!label_sample_) return std::vector<std::optional<double>>(columns.size());
    std::vector<const FieldCensus*> census;
    census.reserve(columns.size());
    for (const Column& column : columns) census.push_back(&column.census);
    const auto label = std::ranges::find(names_, roles_.label) - names_.begin();
    return label_sample_->explained(census, static_cast<std::size_t>(label));
  }

  void count(std::size_t index, const ValueColumn& values, std::size_t num_rows) {
    Column& column = columns_[index];
    std::vector<std::string_view> texts(tile_rows);
    TextRoom room;
    std::span<const std::size_t> sampled;
    if (label_sample_) sampled = label_sample_->chosen();
    try {
      for (std::size_t row = 0; row < num_rows; row += tile_rows) {
        const std::size_t size = std::min(tile_rows, num_rows - row);
        room.clear();
        if (column.census.holds_lists()) {
          values.read_lists(row, size, texts.data(), 1, room);
          for (std::size_t i = 0; i < size; ++i) count_list(column.census, texts[i]);
        } else {
          values.read(row, size, texts.data(), 1, room);
          for (std::size_t i = 0; i < size; ++i) column.census.add(texts[i]);
        }
        for (; !sampled.empty() && sampled.front() < row + size; sampled = sampled.subspan(1))
          label_sample_->add(index, texts[sampled.front() - row]);
      }
    } catch (const ConfigError& error) {
      if (has_role(column.census.name())) throw;
      column.why_left_out = error.what();
    }
  }

  static void count_list(FieldCensus& census, std::string_view list) {
    if (list.empty()) return census.add({});
    for_each_listed(list, [&](std::string_view value) { census.add(value); });
  }

  bool has_role(const std::string& name) const { return name == roles_.label || name == roles_.weight; }

  FieldRoles roles_;
  std::uint64_t max_rows_;
  std::vector<std::string> names_;
  std::vector<Column> columns_;
  std::optional<LabelSample> label_sample_;
  std::uint64_t rows_ = 0;
};

TableInspector::TableInspector(std::string label, std::uint64_t max_rows, std::string weight)
    : impl_(std::make_unique<Impl>(FieldRoles{std::move(label), std::move(weight)}, max_rows)) {}
TableInspector::~TableInspector() = default;
TableInspector::TableInspector(TableInspector&&) noexcept = default;
TableInspector& TableInspector::operator=(TableInspector&&) noexcept = default;

void TableInspector::append(const ColumnTable& table) { impl_->append(table); }

InspectReport TableInspector::report() const { return impl_->report(); }

}  // namespace widehash
