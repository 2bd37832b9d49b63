#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "progress_bar.hpp"
#include "report.hpp"
#include "text.hpp"
#include "text_table.hpp"

#include <widehash/error.hpp>
#include <widehash/table_changes.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
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
  std::optional<double> max_missing;
  std::optional<double> max_shift;
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
  object["missing_share_before"] = number_or_null(change.missing_share_before);
  object["missing_share_now"] = number_or_null(change.missing_share_now);
  if (change.is_numeric) {
    const std::optional<double> shift = change.mean_shift();
    object["before"] = moments_json(change.moments_before);
    object["now"] = moments_json(change.moments_now);
    object["mean_shift"] = shift ? Json(*shift) : Json(nullptr);
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
  object["unseen"] = values_json(change.unseen);
  object["most_changed"] = values_json(change.most_changed);
  return object;
}

std::string missing_text(const FeatureChange& change) {
  if (!change.missing_share_now) return "not counted";
  return fmt::format("{}, {}", percent(*change.missing_share_before), percent(*change.missing_share_now));
}

std::string mean_text(const NumericMoments& moments) {
  return moments.count == 0 ? "none" : fmt::format("{:.6g}", moments.mean);
}

std::string shift_text(const FeatureChange& change) {
  if (const auto shift = change.mean_shift()) return fmt::format("{:+.3f} of it", *shift);
  if (change.moments_before.count == 0) return "no number before";
  return change.moments_now.count == 0 ? "no number now" : "one number before";
}

std::string values_text(const std::vector<FeatureChange>& changes) {
  TextTable table("lrrrrrrr");
  table.add(
      {"feature", "values before", "now", "unseen", "of all", "gone", "distance", "missing before, now"});
  for (const FeatureChange& change : changes) {
    if (change.is_numeric) continue;
    table.add({printable(change.feature), count_text(change.values_before), count_text(change.values_now),
               count_text(change.unseen_values), percent(change.unseen_share), percent(change.gone_share),
               fmt::format("{:.4f}", change.distance), missing_text(change)});
  }
  return table.text();
}

std::string numbers_text(const std::vector<FeatureChange>& changes) {
  TextTable table("lrrrrr");
  table.add({"feature", "mean before", "now", "deviation before", "moved by", "missing before, now"});
  bool has_any = false;
  for (const FeatureChange& change : changes) {
    if (!change.is_numeric) continue;
    has_any = true;
    table.add({printable(change.feature), mean_text(change.moments_before), mean_text(change.moments_now),
               fmt::format("{:.6g}", change.moments_before.standard_deviation), shift_text(change),
               missing_text(change)});
  }
  return has_any ? '\n' + table.text() : "";
}

std::string share_text(std::uint64_t count, std::uint64_t all) {
  return percent(all == 0 ? 0 : static_cast<double>(count) / static_cast<double>(all));
}

/// One line per feature that has such values: "  site: "a" 12, "b" 3"; with `are_shares`, "a" 2.00 % -> 3.50
/// %.
std::string lines_of(const std::vector<FeatureChange>& changes,
                     std::vector<ValueChange> FeatureChange::*values, bool are_shares) {
  std::string text;
  for (const FeatureChange& change : changes) {
    std::string line;
    for (const ValueChange& one : change.*values) {
      const std::string now = are_shares ? share_text(one.count_before, change.count_before) + " -> " +
                                               share_text(one.count_now, change.count_now)
                                         : count_text(one.count_now);
      const std::string value = one.value.empty() ? "(missing)" : quoted_value(one.value, 32);
      line += fmt::format("{} {} {}", line.empty() ? "" : ",", value, now);
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

double missing_growth(const FeatureChange& change) {
  return change.missing_share_now.value_or(0) - change.missing_share_before.value_or(0);
}

/// How far a mean has moved, in either direction. Infinite if the earlier numbers were all the same and the
/// mean is another, or if one side has no numbers.
double distance_moved(const FeatureChange& change) {
  if (!change.is_numeric) return 0;
  const std::optional<double> shift = change.mean_shift();
  return shift ? std::abs(*shift) : std::numeric_limits<double>::infinity();
}

/// Throws DataError for the feature with the largest `measure`, if that is above `most`. `said` describes it.
template <class Measure, class Said>
void require_at_most(const std::vector<FeatureChange>& changes, const Options& options, double most,
                     Measure measure, Said said) {
  const auto is_above = [&](const FeatureChange& change) { return std::invoke(measure, change) > most; };
  const auto worst = std::ranges::max_element(changes, {}, measure);
  if (worst == changes.end() || !is_above(*worst)) return;
  const auto others = std::ranges::count_if(changes, is_above) - 1;
  throw DataError(options.now, 0,
                  said(*worst) + (others == 0 ? ""
                                              : fmt::format("; so {} of {} more {}",
                                                            others == 1 ? "is that" : "are those", others,
                                                            others == 1 ? "feature" : "features")));
}

/// Names the features that --max-missing cannot judge.
void warn_of_lists(const std::vector<FeatureChange>& changes, const Options& options) {
  if (!options.max_missing) return;
  std::string names;
  for (const FeatureChange& change : changes) {
    if (!change.missing_share_now)
      names += fmt::format("{}'{}'", names.empty() ? "" : ", ", printable(change.feature));
  }
  if (names.empty()) return;
  write_warning(
      fmt::format("compare: --max-missing does not judge {}: tables of lists that skip missing values do "
                  "not count them; missing = \"value\" in the schema does",
                  names));
}

/// Throws DataError if more has changed than the options allow.
void require_little_change(const std::vector<FeatureChange>& changes, const TableSet& now,
                           const Options& options) {
  if (!options.max_unseen && !options.max_missing && !options.max_shift) return;
  if (now.rows == 0)
    throw DataError(options.now, 0, "the tables count no rows, so there is nothing to compare");
  if (options.max_unseen) {
    require_at_most(changes, options, *options.max_unseen, &FeatureChange::unseen_share,
                    [&](const FeatureChange& change) {
                      return fmt::format("{} of the values of '{}' are not in {}, but --max-unseen allows {}",
                                         percent(change.unseen_share), printable(change.feature),
                                         options.before, percent(*options.max_unseen));
                    });
  }
  if (options.max_missing) {
    require_at_most(changes, options, *options.max_missing, missing_growth, [&](const FeatureChange& change) {
      return fmt::format("{1} of '{0}' is missing, up from {2} in {3}: a rise of more than --max-missing {4}",
                         printable(change.feature), percent(*change.missing_share_now),
                         percent(*change.missing_share_before), options.before, *options.max_missing);
    });
  }
  if (options.max_shift) {
    require_at_most(changes, options, *options.max_shift, distance_moved, [&](const FeatureChange& change) {
      return fmt::format(
          "the mean of '{}' is {} and was {} in {}, where the deviation is {:.6g}: it has moved farther than "
          "--max-shift {}",
          printable(change.feature), mean_text(change.moments_now), mean_text(change.moments_before),
          options.before, change.moments_before.standard_deviation, *options.max_shift);
    });
  }
}

void require_share(const char* option, const std::optional<double>& share) {
  if (share && !(*share >= 0 && *share <= 1))
    throw ConfigError(fmt::format("compare: {} {} is not a share from 0 to 1", option, *share));
}

void run(const Options& options) {
  const Stopwatch watch;
  require_share("--max-unseen", options.max_unseen);
  require_share("--max-missing", options.max_missing);
  if (options.max_shift && !(*options.max_shift >= 0))
    throw ConfigError(fmt::format("compare: --max-shift {} is not 0 or more", *options.max_shift));
  ProgressBar bar("compare", options.common.show_progress());
  const TableSet before = load_table_set(options.before);
  const TableSet now = load_table_set(options.now);
  std::vector<FeatureChange> changes;
  with_threads(options.common.threads,
               [&] { changes = table_changes(before, now, options.top, bar.callback()); });
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
  warn_of_lists(changes, options);
  require_little_change(changes, now, options);
}

}  // namespace

void add_compare_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command = program.add(
      "compare", "show what changed between two sets of tables: unseen values, shares, means",
      "# find what is in today's rows that the model was not trained on\n"
      "widehash fit --schema schema.toml today.tsv -o today\n"
      "widehash compare tables today\n"
      "# in a script: exit with 1 if more than one in twenty of any feature's values is new, by count\n"
      "widehash compare tables today --max-unseen 0.05 --json > changes.json\n"
      "# also if a tenth more rows have no value, or a mean moved by more than half a standard deviation\n"
      "widehash compare tables today --max-unseen 0.05 --max-missing 0.1 --max-shift 0.5\n"
      "# sort features by how much their values changed\n"
      "widehash compare tables today --json | jq -r '.features[] | [.distance, .feature] | @tsv' | sort "
      "-rn\n");
  CLI::App& app = command.app;
  add_operand(app, "BEFORE", options->before, "tables from `widehash fit`, or a dataset that has tables/");
  add_operand(app, "NOW", options->now, "newer tables of the same schema");
  add_count(app, "--top", options->top, "number of values to show in each list, per feature");
  add_number(app, "--max-unseen", options->max_unseen,
             "exit with code 1 if more than this share of a feature's values was not there before");
  add_number(app, "--max-missing", options->max_missing,
             "exit with code 1 if a feature's share of rows without a value grew by more than this");
  add_number(
      app, "--max-shift", options->max_shift,
      "exit with code 1 if the mean of a numeric feature moved by more than this many standard deviations");
  add_work_options(app, options->common);
  command.run = [options] { run(*options); };
}

}  // namespace widehash::tools
