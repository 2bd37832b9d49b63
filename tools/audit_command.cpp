#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "progress_bar.hpp"
#include "report.hpp"
#include "text.hpp"
#include "text_table.hpp"

#include <widehash/audit.hpp>
#include <widehash/audit_verdict.hpp>
#include <widehash/memory_budget.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <memory>

#include <fmt/format.h>

namespace widehash::tools {
namespace {

struct Options {
  std::string directory;
  std::uint64_t memory_bytes = default_memory_bytes;
  CommonOptions common;
};

Json split_json(const SplitAudit& split) {
  return {{"used_buckets", split.used_buckets},
          {"fullest_bucket", split.fullest_bucket},
          {"sharing_pairs", split.sharing_pairs},
          {"chi_square", split.chi_square}};
}

Json audit_json(const FeatureAudit& audit) {
  const Verdict verdict = judge(audit);
  Json object;
  object["feature"] = audit.feature;
  object["num_values"] = audit.num_values;
  object["head_values"] = audit.head_values;
  object["cardinality"] = audit.cardinality;
  object["width"] = audit.width;
  object["load"] = audit.load;
  object["modulo_bias"] = audit.modulo_bias;
  object["expected_code_pairs"] = audit.expected_code_pairs;
  object["code_pairs"] = audit.code_pairs;
  object["colliding_values"] = audit.colliding_values;
  object["free_directions"] = audit.free_directions;
  object["expected_bucket_pairs"] = audit.expected_bucket_pairs;
  object["bucket_pairs_deviation"] = audit.bucket_pairs_deviation;
  object["expected_fullest_bucket"] = audit.expected_fullest_bucket;
  object["splits"] = Json::array();
  for (int k = 0; k < audit.num_splits; ++k)
    object["splits"].push_back(split_json(audit.splits[static_cast<std::size_t>(k)]));
  object["examples"] = audit.examples;
  object["is_fine"] = verdict.is_fine;
  object["verdict"] = verdict.text;
  return object;
}

/// Returns the split that is furthest from even. Its pairs stand for the feature.
const SplitAudit& worst_split(const FeatureAudit& audit) {
  return *std::max_element(
      audit.splits.begin(), audit.splits.end(),
      [](const SplitAudit& a, const SplitAudit& b) { return a.sharing_pairs < b.sharing_pairs; });
}

/// Number of values in the fullest bucket of any split.
std::uint64_t fullest_bucket(const FeatureAudit& audit) {
  std::uint64_t fullest = 0;
  for (const SplitAudit& split : audit.splits) fullest = std::max(fullest, split.fullest_bucket);
  return fullest;
}

std::string audits_text(const std::vector<FeatureAudit>& audits) {
  TextTable table("lrrrrrrrrrrrl");
  table.add({"", "", "", "", "", "", "same code", "", "same bucket", "", "fullest bucket", "", ""});
  table.add({"feature", "values", "planned", "width", "directions", "bias", "expected", "seen", "expected",
             "seen", "expected", "seen", "verdict"});
  std::string examples;
  for (const auto& audit : audits) {
    const SplitAudit& worst = worst_split(audit);
    table.add({printable(audit.feature), count_text(audit.num_values), count_text(audit.cardinality),
               count_text(audit.width), count_text(audit.free_directions),
               fmt::format("{:.2g} %", 100 * audit.modulo_bias), estimate_text(audit.expected_code_pairs),
               count_text(audit.code_pairs), estimate_text(audit.expected_bucket_pairs),
               estimate_text(worst.sharing_pairs), estimate_text(audit.expected_fullest_bucket),
               count_text(fullest_bucket(audit)), judge(audit).text});
    for (const auto& group : audit.examples) {
      examples += "  " + printable(audit.feature) + ":";
      for (const auto& value : group) examples += " " + quoted_value(value, 32);
      examples += '\n';
    }
  }
  std::string text = table.text();
  text +=
      "\nPairs of values are counted; pairs with the same bucket are those of the worst split. A linear "
      "model has at most as many independent weights for the values as there are directions.\n";
  if (!examples.empty()) text += "\nvalues that share a whole code, most frequent first:\n" + examples;
  const auto fine =
      std::count_if(audits.begin(), audits.end(), [](const auto& audit) { return judge(audit).is_fine; });
  const auto total = static_cast<std::ptrdiff_t>(audits.size());
  if (fine == total)
    return text + (total == 1 ? "\nthe feature is as expected\n"
                              : fmt::format("\nall {} features are as expected\n", total));
  return text + fmt::format("\n{} of {} features need{} a look\n", total - fine, total,
                            total - fine == 1 ? "s" : "");
}

void run(const Options& options) {
  const Stopwatch watch;
  ProgressBar bar("audit", options.common.show_progress());
  const TableSet set = load_table_set(options.directory);
  std::vector<FeatureAudit> audits;
  with_threads(options.common.threads,
               [&] { audits = audit_tables(set, options.memory_bytes, bar.callback()); });
  bar.erase();
  if (!options.common.json) {
    write_standard_output(audits_text(audits));
    return;
  }
  Json object;
  object["rows"] = set.rows;
  set_speed(object, set.rows, watch.seconds());
  object["features"] = Json::array();
  for (const auto& audit : audits) object["features"].push_back(audit_json(audit));
  print_json(object);
}

}  // namespace

void add_audit_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command = program.add(
      "audit", "show what hashing costs each feature: expected and observed collisions, bias, load",
      "# `widehash fit` makes the tables\n"
      "widehash audit tables\n"
      "# for a script: features that need a look\n"
      "widehash audit tables --json | jq '.features[] | select(.is_fine | not)'\n");
  add_operand(command.app, "DIR", options->directory,
              "tables from `widehash fit`, or a dataset that has tables/");
  add_bytes(command.app, "--memory", options->memory_bytes, "memory for sorting codes");
  add_work_options(command.app, options->common);
  command.run = [options] { run(*options); };
}

}  // namespace widehash::tools
