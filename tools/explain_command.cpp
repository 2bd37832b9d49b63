#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "report.hpp"
#include "text.hpp"
#include "text_table.hpp"

#include <widehash/predict.hpp>
#include <widehash/threads.hpp>

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

Json effects_json(const std::vector<ValueEffect>& effects) {
  Json list = Json::array();
  for (const auto& effect : effects) {
    Json item;
    set_value(item, "value", effect.value);
    item["count"] = effect.count;
    item["effect"] = effect.effect;
    list.push_back(item);
  }
  return list;
}

Json report_json(const std::vector<FeatureEffects>& features, double seconds) {
  Json object;
  object["seconds"] = seconds;
  object["features"] = Json::array();
  for (const auto& feature : features) {
    object["features"].push_back({{"feature", feature.feature},
                                  {"spread", feature.spread},
                                  {"num_values", feature.num_values},
                                  {"highest", effects_json(feature.highest)},
                                  {"lowest", effects_json(feature.lowest)}});
  }
  return object;
}

void add_effects(TextTable& table, const std::vector<ValueEffect>& effects) {
  for (const auto& effect : effects) {
    table.add({fmt::format("{:+.4f}", effect.effect), count_text(effect.count) + " rows",
               effect.value.empty() ? "(missing)" : quoted_value(effect.value)});
  }
}

std::string report_text(const std::vector<FeatureEffects>& features) {
  std::string text = "Effects on the raw output, against each feature's mean; heaviest feature first.\n";
  for (const auto& feature : features) {
    text += fmt::format("\n{}  spread {:.4f}, {} values\n", printable(feature.feature), feature.spread,
                        count_text(feature.num_values));
    TextTable table("rrl");
    add_effects(table, feature.highest);
    // From the middle down to the lowest, so that the column of effects falls all the way; a feature of few values has
    // shown some of them already.
    std::vector<ValueEffect> lowest(feature.lowest.rbegin(), feature.lowest.rend());
    if (!feature.highest.empty()) {
      std::erase_if(lowest,
                    [&](const ValueEffect& low) { return low.effect >= feature.highest.back().effect; });
    }
    if (feature.highest.size() + lowest.size() < feature.num_values) table.add({"...", "", ""});
    add_effects(table, lowest);
    text += table.text(2);
  }
  return text;
}

void run(const Options& options) {
  const Stopwatch watch;
  std::vector<FeatureEffects> features;
  with_threads(options.common.threads, [&] { features = explain(options.explain, options.output); });
  if (options.common.json) {
    print_json(report_json(features, watch.seconds()));
  } else {
    write_standard_output(report_text(features));
  }
}

}  // namespace

void add_explain_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command = program.add("explain", "the heaviest values of each feature, in their own words",
                                 "# what the model has learnt, five values each way\n"
                                 "widehash explain clicks.model --tables tables --top 5\n"
                                 "# rare values too\n"
                                 "widehash explain clicks.model --tables tables --min-count 1 --json\n");
  CLI::App& app = command.app;
  add_operand(app, "MODEL", options->explain.model, "model that `widehash train` wrote");
  add_text(app, "--tables", options->explain.tables_directory, "DIR", "tables that `widehash fit` wrote")
      ->required();
  add_count(app, "--top", options->explain.top, "values each way, per feature");
  add_count(app, "--min-count", options->explain.min_count, "leave out values seen less often");
  add_count(app, "--output", options->output, "which output, from 0, of a model that has several");
  add_work_options(app, options->common);
  command.run = [options] { run(*options); };
}

}  // namespace widehash::tools
