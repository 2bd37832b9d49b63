#include "commands.hpp"
#include "json_list.hpp"
#include "options.hpp"
#include "output.hpp"
#include "report.hpp"
#include "text.hpp"

#include <widehash/checksum.hpp>
#include <widehash/code.hpp>
#include <widehash/cross.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/escaped_text.hpp>
#include <widehash/internal/suggest.hpp>
#include <widehash/lookup_table.hpp>
#include <widehash/table_set.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace widehash::tools {
namespace {

struct Options {
  std::string directory;
  std::string feature;
  std::uint64_t top = 0;
  std::uint64_t min_count = 1;
  bool codes = false;
  CommonOptions common;
};

/// A lookup table, and whether its values are those of a cross.
struct OpenTable {
  LookupTable table;
  bool is_cross = false;
};

OpenTable open_feature(const Options& options) {
  const TableSet set = load_table_set(options.directory);
  std::vector<std::string_view> known;
  for (std::size_t i = 0; i < set.items.size(); ++i) {
    const TableSet::Item& item = set.items[i];
    if (item.feature != options.feature) {
      if (!item.file.empty()) known.push_back(item.feature);
      continue;
    }
    if (item.file.empty()) {
      throw ConfigError(fmt::format(
          "values: '{}' is numeric or ignored, so it has no table; name a feature whose values are hashed",
          printable(options.feature)));
    }
    const auto schema = schema_of(set);
    return {open_table(set, i), schema && schema->features[i].is_cross()};
  }
  std::string names;
  for (const std::string_view name : known) names += (names.empty() ? "" : ", ") + printable(name);
  throw ConfigError(fmt::format("{}: has no table of a feature '{}'{}; there are tables of {}",
                                options.directory, printable(options.feature),
                                did_you_mean(options.feature, known), names));
}

/// Indices of the requested values, most frequent first and ties by hash.
std::vector<std::uint64_t> chosen_values(const LookupTable& table, const Options& options) {
  const auto counts = table.counts();
  std::vector<std::uint64_t> chosen;
  for (std::uint64_t i = 0; i < table.num_values(); ++i)
    if (counts[i] >= options.min_count) chosen.push_back(i);
  const auto more_frequent = [&](std::uint64_t a, std::uint64_t b) {
    return counts[a] != counts[b] ? counts[a] > counts[b] : a < b;
  };
  const std::uint64_t wanted =
      options.top == 0 ? chosen.size() : std::min<std::uint64_t>(options.top, chosen.size());
  // Sorting a part keeps a heap, which is fast for few values and slow for many.
  const auto end = chosen.begin() + static_cast<std::ptrdiff_t>(wanted);
  if (wanted < chosen.size() / 16) {
    std::partial_sort(chosen.begin(), end, chosen.end(), more_frequent);
  } else {
    if (end != chosen.end()) std::nth_element(chosen.begin(), end, chosen.end(), more_frequent);
    std::sort(chosen.begin(), end, more_frequent);
  }
  chosen.resize(wanted);
  return chosen;
}

/// The hash as `hash` prints it: 16 hexadecimal digits, or 32 for XXH3-128.
std::string hash_text(const LookupTable& table, std::uint64_t index) {
  const std::string high = to_hex(table.hashes()[index]);
  return table.hashes_low().empty() ? high : high + to_hex(table.hashes_low()[index]);
}

/// The four buckets of the value's code, or the single one for one_hot.
std::vector<std::uint32_t> buckets_of(const LookupTable& table, std::uint64_t index) {
  if (table.encoding() == Encoding::one_hot) {
    const std::uint64_t hash = table.hashes_low().empty() ? table.hashes()[index] : table.hashes_low()[index];
    return {one_hot(hash, static_cast<std::uint32_t>(table.buckets()))};
  }
  const Buckets code = table.entry(index).code;
  return {code.begin(), code.end()};
}

std::vector<std::string_view> parts_of(const OpenTable& open, std::uint64_t index) {
  const std::string_view value = open.table.entry(index).value;
  return open.is_cross ? cross_parts(value, open.table.file().path()) : std::vector{value};
}

void print_lines(const OpenTable& open, const Options& options) {
  TextOutput output("-");
  std::string line;
  for (const std::uint64_t index : chosen_values(open.table, options)) {
    line = std::to_string(open.table.counts()[index]);
    if (options.codes) {
      line += '\t' + hash_text(open.table, index);
      for (const std::uint32_t bucket : buckets_of(open.table, index)) line += '\t' + std::to_string(bucket);
    }
    for (const std::string_view part : parts_of(open, index)) {
      line += '\t';
      append_escaped(line, part);
    }
    output.write(line + '\n');
  }
  output.finish();
}

Json value_json(const OpenTable& open, std::uint64_t index) {
  Json item;
  const TableEntry entry = open.table.entry(index);
  set_value(item, "value", open.is_cross ? cross_text(entry.value) : std::string(entry.value));
  item["parts"] = nullptr;
  if (open.is_cross) item["parts"] = parts_of(open, index);
  item["count"] = entry.count;
  item[to_string(open.table.hash_kind())] = hash_text(open.table, index);
  item["buckets"] = buckets_of(open.table, index);
  return item;
}

void print_object(const OpenTable& open, const Options& options) {
  const Stopwatch watch;
  const LookupTable& table = open.table;
  JsonListOutput output("values");
  for (const std::uint64_t index : chosen_values(table, options)) output.add(value_json(open, index));
  Json object;
  object["seconds"] = watch.seconds();
  object["feature"] = table.feature();
  object["encoding"] = to_string(table.encoding());
  object["hash"] = to_string(table.hash_kind());
  object["seed"] = table.seed();
  object["cardinality"] = table.cardinality();
  object["width"] = table.width();
  object["num_values"] = table.num_values();
  object["total_count"] = table.total_count();
  output.finish(object);
}

void run(const Options& options) {
  const OpenTable open = open_feature(options);
  if (options.common.json) {
    print_object(open, options);
  } else {
    print_lines(open, options);
  }
}

}  // namespace

void add_values_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command = program.add(
      "values", "list the values of a feature, most frequent first: `count<TAB>value`, one line per value",
      "# the ten most frequent sites\n"
      "widehash values tables site --top 10\n"
      "# every value with its hash and buckets, as `hash` prints them\n"
      "widehash values tables site --codes > site.tsv\n"
      "# tabs also separate the parts of a cross; tabs, line ends and backslashes in values are escaped\n"
      "widehash values tables 'site x device' | sort -t $'\\t' -k 2,2 -k 1,1nr\n"
      "# how often one value was seen\n"
      "widehash values tables site | grep -P '\\tsite17$'\n");
  CLI::App& app = command.app;
  add_operand(app, "DIR", options->directory, "tables from `widehash fit`, or a dataset that has tables/");
  add_operand(app, "FEATURE", options->feature, "name of a feature in the schema");
  add_count(app, "--top", options->top, "number of values to list; 0 for all");
  add_count(app, "--min-count", options->min_count, "leave out values seen fewer times than this");
  add_switch(app, "--codes", options->codes, "also print the hash and buckets, before the value");
  add_report_options(app, options->common);
  command.run = [options] { run(*options); };
}

}  // namespace widehash::tools
