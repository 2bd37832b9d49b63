#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "progress_bar.hpp"
#include "report.hpp"
#include "text.hpp"
#include "text_table.hpp"

#include <widehash/error.hpp>
#include <widehash/table_changes.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace widehash::tools {
namespace {

struct Options {
  std::string before;
  std::string now;
  std::uint64_t top = 3;
  std::optional<double> max_unseen;
  CommonOptions common;
};

std::string percent(double share) { return fmt::format("{:.2f} %", 100 * share); }

Json value_json(const ValueChange& change) {
  Json object;
  set_value(object, "value", change.value);
  object["count_before"] = change.count_before;
  object["count_now"] = change.count_now;
  return object;
}

Json values_json(const std::vector<ValueChange>& changes) {
  Json list = Json::array();
  for (const ValueChange& change : changes) list.push_back(value_json(change));
  return list;
}

Json moments_json(const NumericMoments& moments) {
  const bool is_known = moments.count > 0;
  return {{"count", moments.count},
          {"mean", is_known ? Json(moments.mean) : Json(nullptr)},
          {"standard_deviation", is_known ? Json(moments.standard_deviation) : Json(nullptr)}};
}

Json change_json(const FeatureChange& change) {
  Json object;
  object["feature"] = change.feature;
  if (change.is_numeric) {
    object["before"] = moments_json(change.moments_before);
    object["now"] = moments_json(change.moments_now);
    object["mean_shift"] = change.mean_shift();
    return object;
  }
  object["values_before"] = change.values_before;
  object["values_now"] = change.values_now;
  object["count_before"] = change.count_before;
  object["count_now"] = change.count_now;
  object["unseen_values"] = change.unseen_values;
  object["unseen_share"] = change.unseen_share;
  object["gone_values"] = change.gone_values;
  object["gone_share"] = change.gone_share;
  object["distance"] = change.distance;
  object["missing_share_before"] = change.missing_share_before;
  object["missing_share_now"] = change.missing_share_now;
  object["unseen"] = values_json(change.unseen);
  object["most_changed"] = values_json(change.most_changed);
  return object;
}

std::string values_text(const std::vector<FeatureChange>& changes) {
  TextTable table("lrrrrrrr");
  table.add(
      {"feature", "values before", "now", "unseen", "of all", "gone", "distance", "missing before, now"});
  for (const FeatureChange& change : changes) {
    if (change.is_numeric) continue;
    table.add(
        {printable(change.feature), count_text(change.values_before), count_text(change.values_now),
         count_text(change.unseen_values), percent(change.unseen_share), percent(change.gone_share),
         fmt::format("{:.4f}", change.distance),
         fmt::format("{}, {}", percent(change.missing_share_before), percent(change.missing_share_now))});
  }
  return table.text();
}

std::string numbers_text(const std::vector<FeatureChange>& changes) {
  TextTable table("lrrrr");
  table.add({"feature", "mean before", "now", "deviation before", "moved by"});
  bool has_any = false;
  for (const FeatureChange& change : changes) {
    if (!change.is_numeric) continue;
    has_any = true;
    table.add({printable(change.feature), fmt::format("{:.6g}", change.moments_before.mean),
               fmt::format("{:.6g}", change.moments_now.mean),
               fmt::format("{:.6g}", change.moments_before.standard_deviation),
               fmt::format("{:+.3f} of it", change.mean_shift())});
  }
  return has_any ? '\n' + table.text() : "";
}

/// "  site: "a" 12, "b" 3", a line for each feature that has some.
std::string lines_of(const std::vector<FeatureChange>& changes,
                     std::vector<ValueChange> FeatureChange::*values, bool has_before) {
  std::string text;
  for (const FeatureChange& change : changes) {
    std::string line;
    for (const ValueChange& one : change.*values) {
      const std::string before = has_before ? count_text(one.count_before) + " -> " : "";
      line += fmt::format("{} {} {}{}", line.empty() ? "" : ",", quoted_value(one.value, 32), before,
                          count_text(one.count_now));
    }
    if (!line.empty()) text += fmt::format("  {}:{}\n", printable(change.feature), line);
  }
  return text;
}

std::string report_text(const std::vector<FeatureChange>& changes) {
  std::string text = values_text(changes) + numbers_text(changes);
  const std::string unseen = lines_of(changes, &FeatureChange::unseen, false);
  if (!unseen.empty()) text += "\nvalues that were not there before, most frequent first:\n" + unseen;
  const std::string changed = lines_of(changes, &FeatureChange::most_changed, true);
  if (!changed.empty()) text += "\nvalues whose shares differ most:\n" + changed;
  return text;
}

/// Throws DataError where a feature has more values that were not there before than it may have.
void require_seen(const std::vector<FeatureChange>& changes, const Options& options) {
  const auto is_above = [&](const FeatureChange& change) {
    return change.unseen_share > *options.max_unseen;
  };
  const auto worst = std::ranges::max_element(changes, {}, &FeatureChange::unseen_share);
  if (worst == changes.end() || !is_above(*worst)) return;
  const auto others = std::ranges::count_if(changes, is_above) - 1;
  throw DataError(options.now, 0,
                  fmt::format("{} of the values of '{}' are not in {}, and --max-unseen allows {}{}",
                              percent(worst->unseen_share), printable(worst->feature), options.before,
                              percent(*options.max_unseen),
                              others == 0 ? ""
                                          : fmt::format("; {} more {} too many", others,
                                                        others == 1 ? "feature has" : "features have")));
}

void run(const Options& options) {
  const Stopwatch watch;
  if (options.max_unseen && !(*options.max_unseen >= 0 && *options.max_unseen <= 1))
    throw ConfigError(fmt::format("compare: --max-unseen {} is a share, from 0 to 1", *options.max_unseen));
  ProgressBar bar("compare", options.common.show_progress());
  const TableSet before = load_table_set(options.before);
  const TableSet now = load_table_set(options.now);
  const std::vector<FeatureChange> changes = table_changes(before, now, options.top, bar.callback());
  bar.erase();
  if (options.common.json) {
    Json object;
    object["rows_before"] = before.rows;
    object["rows_now"] = now.rows;
    object["seconds"] = watch.seconds();
    object["features"] = Json::array();
    for (const FeatureChange& change : changes) object["features"].push_back(change_json(change));
    print_json(object);
  } else {
    write_standard_output(report_text(changes));
  }
  if (options.max_unseen) require_seen(changes, options);
}

}  // namespace

void add_compare_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command = program.add(
      "compare", "what has changed between two sets of tables: values never seen, shares, means",
      "# what today's rows hold that the model was not trained on; tables come from `widehash fit`\n"
      "widehash fit --schema schema.toml today.tsv -o today\n"
      "widehash compare tables today\n"
      "# in a script: exit code 1 where more than one value in twenty of any feature is new\n"
      "widehash compare tables today --max-unseen 0.05 --json > changes.json\n"
      "# features by how much their values have changed\n"
      "widehash compare tables today --json | jq -r '.features[] | [.distance, .feature] | @tsv' | sort "
      "-rn\n");
  CLI::App& app = command.app;
  add_operand(app, "BEFORE", options->before, "tables that `widehash fit` wrote, or a dataset with tables/");
  add_operand(app, "NOW", options->now, "further ones, of the same schema");
  add_count(app, "--top", options->top, "so many values of each list and feature");
  add_number(app, "--max-unseen", options->max_unseen,
             "end with exit code 1 where a larger share of a feature's values was not there before");
  add_report_options(app, options->common);
  command.run = [options] { run(*options); };
}

}  // namespace widehash::tools
