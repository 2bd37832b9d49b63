#include "encode/row_rules.hpp"
#include "encode/schema_dialect.hpp"
#include "encode/table_texts.hpp"
#include "encode/trimmed_rows.hpp"
#include "row_judge.hpp"

#include <widehash/error.hpp>
#include <widehash/table_evaluator.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

constexpr std::size_t rows_at_once = 1024;

/// Some rows of some columns, as texts in row-major order.
struct ColumnTexts {
  std::vector<std::string_view> texts;
  std::size_t num_columns = 0;

  std::string_view value(std::size_t row, std::size_t column) const {
    return texts[row * num_columns + column];
  }
};

void require_texts(const ColumnTable& table, std::span<const std::size_t> columns) {
  for (const std::size_t position : columns) {
    const ValueColumn& column = table.column(position);
    if (table.num_rows() > 0) column.require_readable();
    if (!column.is_list()) continue;
    throw ConfigError(fmt::format("column '{}' holds lists, so there is no single value to judge rows by",
                                  table.names()[position]));
  }
}

}  // namespace

class TableEvaluator::Impl {
 public:
  Impl(const Predictor& predictor, std::uint64_t max_bad_rows, const std::vector<std::string>& by,
       std::uint64_t most_values)
      : predictor_(predictor),
        max_bad_rows_(max_bad_rows),
        rules_(schema(), by, {}, "rows are to be judged by"),
        trims_(dialect_of(schema()).trims()),
        judge_(predictor.architecture(), schema().label, memory_source, by, most_values) {
    if (!predictor.encoder().layout()->has_targets) {
      throw ConfigError(
          "the model was trained without a label, so there is nothing to compare predictions with");
    }
  }

  void append(const ColumnTable& table) {
    const FieldBinding binding = rules_.bind(table, true);
    require_texts(table, binding.kept);
    const Encoder& encoder = predictor_.encoder();
    CodeBatch batch(encoder.layout());
    std::vector<EncodeIssue> issues;
    encoder.encode(table, binding, batch, issues);
    if (rejected_rows_ + issues.size() > max_bad_rows_) {
      throw_bad_row(rows_read_, issues[max_bad_rows_ - rejected_rows_]);
    }
    const CodeBatchView rows = batch.view();
    read_values(table, binding.kept, issues);
    judge_.add(predictor_.predict(rows), rows.targets, rows.weights, values_.fields());
    rejected_rows_ += issues.size();
    rows_read_ += table.num_rows();
  }

  EvaluateReport report() const { return judge_.report(rejected_rows_); }

 private:
  const Schema& schema() const noexcept { return predictor_.encoder().schema(); }

  void read_values(const ColumnTable& table, std::span<const std::size_t> columns,
                   std::span<const EncodeIssue> bad_rows) {
    values_.clear();
    if (columns.empty()) return;
    ColumnTexts rows;
    rows.num_columns = columns.size();
    rows.texts.resize(rows_at_once * columns.size());
    std::vector<std::size_t> all(columns.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    TextRoom room;
    for (std::size_t begin = 0; begin < table.num_rows(); begin += rows_at_once) {
      const std::size_t count = std::min(rows_at_once, table.num_rows() - begin);
      room.clear();
      for (std::size_t i = 0; i < columns.size(); ++i)
        table.column(columns[i]).read(begin, count, &rows.texts[i], columns.size(), room);
      if (trims_) trim_values(std::span(rows.texts).first(count * columns.size()), 1);
      values_.add(rows, count, all);
    }
    values_.leave_out(bad_rows);
  }

  const Predictor& predictor_;
  std::uint64_t max_bad_rows_;
  RowRules rules_;
  bool trims_;
  RowJudge judge_;
  RowValues values_;
  std::uint64_t rejected_rows_ = 0;
  std::uint64_t rows_read_ = 0;
};

TableEvaluator::TableEvaluator(const Predictor& predictor, std::uint64_t max_bad_rows,
                               const std::vector<std::string>& by, std::uint64_t most_values)
    : impl_(std::make_unique<Impl>(predictor, max_bad_rows, by, most_values)) {}
TableEvaluator::~TableEvaluator() = default;
TableEvaluator::TableEvaluator(TableEvaluator&&) noexcept = default;
TableEvaluator& TableEvaluator::operator=(TableEvaluator&&) noexcept = default;

void TableEvaluator::append(const ColumnTable& table) { impl_->append(table); }

EvaluateReport TableEvaluator::report() const { return impl_->report(); }

}  // namespace widehash
