#include "value_report.hpp"

#include "text.hpp"
#include "text_table.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include <fmt/format.h>

namespace widehash::tools {
namespace {

constexpr std::size_t max_value_width = 32;

/// A figure that only some tasks have.
struct Column {
  const char* heading;
  std::optional<double> MetricsReport::*value;
};
constexpr Column columns[] = {{"predicted", &MetricsReport::mean_prediction},
                              {"observed", &MetricsReport::mean_target},
                              {"+-difference", &MetricsReport::bias_standard_error},
                              {"log loss", &MetricsReport::log_loss},
                              {"constant", &MetricsReport::constant_log_loss},
                              {"AUC", &MetricsReport::auc},
                              {"accuracy", &MetricsReport::accuracy},
                              {"deviance", &MetricsReport::poisson_deviance},
                              {"constant", &MetricsReport::constant_poisson_deviance},
                              {"RMSE", &MetricsReport::rmse},
                              {"constant", &MetricsReport::constant_rmse}};

/// RMSE is shown if there is nothing better; a log loss or a deviance stands next to its own constant.
std::vector<Column> columns_of(const FieldMetrics& field) {
  const auto has = [&](std::optional<double> MetricsReport::*value) {
    return std::ranges::any_of(field.values,
                               [&](const ValueMetrics& one) { return (one.metrics.*value).has_value(); }) ||
           (field.others && (*field.others.*value).has_value());
  };
  std::vector<Column> shown;
  for (const Column& column : columns) {
    const bool is_of_rmse =
        column.value == &MetricsReport::rmse || column.value == &MetricsReport::constant_rmse;
    if (is_of_rmse && (has(&MetricsReport::log_loss) || has(&MetricsReport::poisson_deviance))) continue;
    if (has(column.value)) shown.push_back(column);
  }
  return shown;
}

std::vector<std::string> row_of(const std::string& name, const MetricsReport& metrics,
                                const std::vector<Column>& shown) {
  std::vector<std::string> cells{name, estimate_text(metrics.weight)};
  for (const Column& column : shown) {
    const std::optional<double>& value = metrics.*column.value;
    cells.push_back(value ? fmt::format("{:.4f}", *value) : "-");
  }
  return cells;
}

std::string field_text(const FieldMetrics& field, std::uint64_t top) {
  const std::vector<Column> shown = columns_of(field);
  TextTable table("lr" + std::string(shown.size(), 'r'));
  std::vector<std::string> heading{printable(field.field), "weight"};
  for (const Column& column : shown) heading.emplace_back(column.heading);
  table.add(heading);
  const std::size_t num_shown = std::min<std::uint64_t>(top, field.values.size());
  for (std::size_t i = 0; i < num_shown; ++i) {
    const ValueMetrics& one = field.values[i];
    table.add(row_of(quoted_value(one.value, max_value_width), one.metrics, shown));
  }
  if (field.others) table.add(row_of("all others", *field.others, shown));
  std::string text = '\n' + table.text();
  if (num_shown < field.values.size()) {
    text += fmt::format("{} more: --top N shows the N heaviest, --json has all\n",
                        count_text(field.values.size() - num_shown, "value"));
  }
  return text;
}

Json figures_of(const MetricsReport& metrics) {
  Json object;
  object["rows"] = metrics.rows;
  set_figures(object, metrics);
  return object;
}

}  // namespace

Json by_value_json(const std::vector<FieldMetrics>& by) {
  Json list = Json::array();
  for (const FieldMetrics& field : by) {
    Json object;
    set_value(object, "field", field.field);
    object["values"] = Json::array();
    for (const ValueMetrics& one : field.values) {
      Json value;
      set_value(value, "value", one.value);
      value.update(figures_of(one.metrics));
      object["values"].push_back(value);
    }
    object["others"] = field.others ? figures_of(*field.others) : Json(nullptr);
    list.push_back(object);
  }
  return list;
}

std::string by_value_text(const std::vector<FieldMetrics>& by, std::uint64_t top) {
  std::string text;
  for (const FieldMetrics& field : by) text += field_text(field, top);
  return text;
}

}  // namespace widehash::tools
