#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "progress_bar.hpp"
#include "report.hpp"
#include "text.hpp"
#include "text_table.hpp"

#include <widehash/error.hpp>
#include <widehash/explain.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <fmt/format.h>

namespace widehash::tools {
namespace {

struct Options {
  ExplainOptions explain;
  std::uint64_t output = 0;
  CommonOptions common;
};

Json effects_json(const std::vector<ValueEffect>& effects, FeatureEffects::Kind kind) {
  Json list = Json::array();
  for (const auto& effect : effects) {
    Json item;
    set_value(item, "value", effect.value);
    item["count"] = kind == FeatureEffects::Kind::intervals ? Json(nullptr) : Json(effect.count);
    item["effect"] = effect.effect;
    list.push_back(item);
  }
  return list;
}

using Kind = FeatureEffects::Kind;

/// What is explained: an output, and its class if the model has classes.
struct Output {
  std::uint64_t number = 0;
  std::string class_name;
};

Json feature_json(const FeatureEffects& feature) {
  Json object{{"feature", feature.feature},
              {"kind", to_string(feature.kind)},
              {"spread", feature.spread ? Json(*feature.spread) : Json(nullptr)}};
  if (feature.kind == Kind::number) {
    object["transform"] = to_string(feature.transform);
    object["per_unit"] = feature.per_unit;
    object["mean"] = feature.moments.mean;
    object["standard_deviation"] = feature.moments.standard_deviation;
    return object;
  }
  object["num_values"] = feature.num_values;
  object["highest"] = effects_json(feature.highest, feature.kind);
  object["lowest"] = effects_json(feature.lowest, feature.kind);
  return object;
}

Json report_json(const std::vector<FeatureEffects>& features, const Output& output, double seconds) {
  Json object;
  object["seconds"] = seconds;
  object["output"] = output.number;
  object["class"] = nullptr;
  if (!output.class_name.empty()) set_value(object, "class", output.class_name);
  object["features"] = Json::array();
  for (const auto& feature : features) object["features"].push_back(feature_json(feature));
  return object;
}

/// Four decimals, as log odds need them; significant digits if the effects are in the units of small or large
/// targets.
std::string effect_text(double effect, double largest) {
  const bool has_usual_size = largest == 0 || (largest >= 0.01 && largest < 10'000);
  return has_usual_size ? fmt::format("{:+.4f}", effect) : fmt::format("{:+.4g}", effect);
}

void add_effects(TextTable& table, const std::vector<ValueEffect>& effects, Kind kind, double largest) {
  for (const auto& effect : effects) {
    const char* const unit = kind == Kind::items ? "time" : "row";
    table.add({effect_text(effect.effect, largest),
               kind == Kind::intervals ? "" : count_text(effect.count, unit),
               effect.value.empty()      ? "(missing)"
               : kind == Kind::intervals ? effect.value
                                         : quoted_value(effect.value)});
  }
}

std::string effects_text(const FeatureEffects& feature, std::uint64_t min_count) {
  if (feature.highest.empty() && feature.num_values > 0)
    return fmt::format("  none of them {} times or more; --min-count shows rarer ones\n",
                       count_text(min_count));
  TextTable table("rrl");
  double largest = 0;
  for (const auto* effects : {&feature.highest, &feature.lowest})
    for (const auto& effect : *effects) largest = std::max(largest, std::abs(effect.effect));
  add_effects(table, feature.highest, feature.kind, largest);
  // From the middle down to the lowest, so that the column of effects is in descending order. If the feature
  // has few values, some of them have been shown already.
  std::vector<ValueEffect> lowest(feature.lowest.rbegin(), feature.lowest.rend());
  if (!feature.highest.empty()) {
    std::erase_if(lowest,
                  [&](const ValueEffect& low) { return low.effect >= feature.highest.back().effect; });
  }
  if (feature.highest.size() + lowest.size() < feature.num_values) table.add({"...", "", ""});
  add_effects(table, lowest, feature.kind, largest);
  return table.text(2);
}

/// What the unit counts, with x for the number in the table.
std::string unit_text(const FeatureEffects& feature) {
  switch (feature.transform) {
    case NumericTransform::log1p:
      return "sign(x) ln(1 + |x|)";
    case NumericTransform::standardize:
      return fmt::format("(x - {:.6g}) / {:.6g}", feature.moments.mean, feature.moments.standard_deviation);
    default:
      return "x";
  }
}

std::string feature_text(const FeatureEffects& feature, std::uint64_t min_count) {
  std::string text = "\n" + printable(feature.feature);
  if (feature.spread)
    text += fmt::format("  spread {},", effect_text(*feature.spread, *feature.spread).substr(1));
  switch (feature.kind) {
    case Kind::values:
      return fmt::format("{} {}\n", text, count_text(feature.num_values, "value")) +
             effects_text(feature, min_count);
    case Kind::items:
      return fmt::format(
                 "{} {}, of which a row may have several: of rows that have it, against the mean row\n", text,
                 count_text(feature.num_values, "item")) +
             effects_text(feature, min_count);
    case Kind::intervals:
      return fmt::format("{} {} intervals of bucketize{}\n", text + (feature.spread ? "" : " "),
                         count_text(feature.num_values),
                         feature.spread ? "" : "; not against a mean, which this model does not know") +
             effects_text(feature, min_count);
    case Kind::number:
      break;
  }
  text += fmt::format("{} a number\n  ", feature.spread ? "" : " ");
  if (feature.transform == NumericTransform::standardize && feature.moments.standard_deviation == 0)
    return text + "no effect: it was the same in all rows that the tables count\n";
  return text + fmt::format("{:+.4g} for each unit of {}\n", feature.per_unit, unit_text(feature));
}

std::string report_text(const std::vector<FeatureEffects>& features, const Output& output,
                        std::uint64_t min_count) {
  const std::string of_class =
      output.class_name.empty()
          ? ""
          : fmt::format(" of class {} (output {})", quoted_value(output.class_name), output.number);
  const bool are_all_ranked =
      std::ranges::all_of(features, [](const FeatureEffects& feature) { return feature.spread.has_value(); });
  std::string text =
      fmt::format("Effects on the raw output{}, against each feature's mean; heaviest feature first{}.\n",
                  of_class, are_all_ranked ? "" : ", those without a spread last");
  for (const auto& feature : features) text += feature_text(feature, min_count);
  return text;
}

void run(const Options& options) {
  if (options.explain.top == 0) throw ConfigError("explain: --top 0 leaves nothing to show; give 1 or more");
  const Stopwatch watch;
  ProgressBar bar("explain", options.common.show_progress());
  std::vector<FeatureEffects> features;
  with_threads(options.common.threads,
               [&] { features = explain(options.explain, options.output, bar.callback()); });
  bar.erase();
  const Output output{options.output, class_of_output(options.explain.model, options.output)};
  if (options.common.json) {
    print_json(report_json(features, output, watch.seconds()));
  } else {
    write_standard_output(report_text(features, output, options.explain.min_count));
  }
}

}  // namespace

void add_explain_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command =
      program.add("explain", "show the heaviest values of each feature by name, and the effect of numbers",
                  "# what the model has learned, five values in each direction\n"
                  "widehash explain clicks.model --tables tables --top 5\n"
                  "# include rare values\n"
                  "widehash explain clicks.model --tables tables --min-count 1 --json\n");
  CLI::App& app = command.app;
  add_operand(app, "MODEL", options->explain.model, "model from `widehash train`");
  add_text(app, "--tables", options->explain.tables_directory, "DIR", "tables from `widehash fit`")
      .required();
  add_count(app, "--top", options->explain.top, "number of values to show in each direction, per feature");
  add_count(app, "--min-count", options->explain.min_count, "leave out values seen fewer times than this");
  add_count(app, "--output", options->output,
            "which output to explain, counting from 0, if the model has several");
  add_work_options(app, options->common);
  command.run = [options] { run(*options); };
}

}  // namespace widehash::tools
