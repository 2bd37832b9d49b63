#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "progress_bar.hpp"
#include "report.hpp"
#include "text.hpp"

#include <widehash/damaged_files.hpp>
#include <widehash/dataset.hpp>
#include <widehash/error.hpp>
#include <widehash/fit.hpp>
#include <widehash/model.hpp>
#include <widehash/table_set.hpp>
#include <widehash/threads.hpp>
#include <widehash/written_kind.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace widehash::tools {
namespace {

// A failing disk may take thousands of shards with it; beyond this many, their number says enough.
constexpr std::size_t most_problems = 20;

struct Options {
  std::string path;
  CommonOptions common;
};

/// What was found, for people and for machines.
// Moving JSON throws nothing; the JSON library asserts while it moves.
// NOLINTNEXTLINE(bugprone-exception-escape)
struct Finding {
  std::string text;
  Json json;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
};

const char* kind_name(WrittenKind kind) {
  switch (kind) {
    case WrittenKind::tables:
      return "tables";
    case WrittenKind::model:
      return "model";
    case WrittenKind::dataset:
      break;
  }
  return "dataset";
}

Finding verify_dataset_at(const Options& options) {
  ProgressBar bar("verify", options.common.show_progress());
  VerifyReport report;
  with_threads(options.common.threads, [&] { report = verify_dataset(options.path, bar.callback()); });
  Finding finding;
  finding.text = fmt::format("{} and {} rejected in {}", count_text(report.rows, "row"),
                             count_text(report.rejected_rows), count_text(report.shards, "shard"));
  if (report.other_fold_rows > 0)
    finding.text += fmt::format(", {} of other folds skipped", count_text(report.other_fold_rows));
  finding.json["kind"] = kind_name(WrittenKind::dataset);
  finding.json["sound"] = true;
  finding.json["rows"] = report.rows;
  finding.json["rejected_rows"] = report.rejected_rows;
  finding.json["other_fold_rows"] = report.other_fold_rows;
  finding.json["shards"] = report.shards;
  finding.rows = report.rows;
  finding.bytes = report.bytes;
  return finding;
}

Finding verify_tables_at(const Options& options) {
  ProgressBar bar("verify", options.common.show_progress());
  const TableSet set = load_table_set(options.path);
  VerifyTablesReport report;
  with_threads(options.common.threads, [&] { report = verify_tables(set, bar.callback()); });
  verify_fit_record(set);
  bar.erase();
  Finding finding;
  finding.text =
      fmt::format("{} in {}", count_text(report.values, "value"), count_text(report.tables, "table"));
  finding.json["kind"] = kind_name(WrittenKind::tables);
  finding.json["sound"] = true;
  finding.json["rows"] = report.rows;
  finding.json["tables"] = report.tables;
  finding.json["values"] = report.values;
  finding.rows = report.rows;
  finding.bytes = report.bytes;
  return finding;
}

Finding verify_model_at(const Options& options) {
  const VerifyModelReport report = verify_model(options.path);
  Finding finding;
  finding.text = fmt::format("{} after {}", count_text(report.parameters, "parameter"),
                             count_text(report.epoch, "epoch"));
  finding.json["kind"] = kind_name(WrittenKind::model);
  finding.json["sound"] = true;
  finding.json["parameters"] = report.parameters;
  finding.json["towers"] = report.towers;
  finding.json["epoch"] = report.epoch;
  finding.bytes = report.bytes;
  return finding;
}

void say(const std::string& problem) {
  const std::string line = fmt::format("widehash: {}\n", printable(problem));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

/// For machines: prints what is reported on standard error as an object.
void print_problems(const Options& options, std::span<const std::string> problems) {
  if (!options.common.json) return;
  Json object;
  object["kind"] = kind_name(written_kind(options.path));
  object["sound"] = false;
  object["num_problems"] = problems.size();
  object["problems"] = Json::array();
  for (const std::string& problem : problems.first(std::min(problems.size(), most_problems)))
    object["problems"].push_back(problem);
  print_json(object);
}

[[noreturn]] void say_all(const Options& options, std::span<const std::string> problems) {
  const std::size_t shown = std::min(problems.size(), most_problems);
  for (const std::string& problem : problems.first(shown)) say(problem);
  const std::string here =
      shown == problems.size() ? "named above" : fmt::format("the first {} of them named above", shown);
  throw Error(
      fmt::format("{}: is not sound: {} problems, {}; restore the files from a copy or write them again",
                  options.path, problems.size(), here));
}

Finding verify_kind(const Options& options) {
  switch (written_kind(options.path)) {
    case WrittenKind::tables:
      return verify_tables_at(options);
    case WrittenKind::model:
      return verify_model_at(options);
    case WrittenKind::dataset:
      break;
  }
  return verify_dataset_at(options);
}

Finding verify_path(const Options& options) {
  try {
    return verify_kind(options);
  } catch (const DamagedFiles& damage) {
    print_problems(options, damage.problems());
    say_all(options, damage.problems());
  } catch (const DataError& error) {
    print_problems(options, std::vector<std::string>{error.what()});
    throw;
  } catch (const FileError& error) {
    print_problems(options, std::vector<std::string>{error.what()});
    throw;
  }
}

void run(const Options& options) {
  const Stopwatch watch;
  Finding finding = verify_path(options);
  const double seconds = watch.seconds();
  if (options.common.json) {
    set_speed(finding.json, finding.rows, finding.bytes, seconds);
    const bool has_rows = finding.json.at("kind") != kind_name(WrittenKind::model);
    if (!has_rows) finding.json["rows_per_second"] = nullptr;
    finding.json["bytes"] = finding.bytes;
    print_json(finding.json);
  } else if (!options.common.quiet) {
    write_standard_output(fmt::format("{}: sound; {}, {}  ({})\n", printable(options.path), finding.text,
                                      bytes_text(finding.bytes), speed_text(0, finding.bytes, seconds)));
  }
}

}  // namespace

void add_verify_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command =
      program.add("verify", "reread a dataset, tables or a model and check every checksum and count",
                  "# after copying it to another machine\n"
                  "widehash verify month\n"
                  "# in a script: damaged files are named, and the exit code is 1\n"
                  "widehash verify month --quiet && widehash train month -o month.model\n"
                  "# tables and a model\n"
                  "widehash verify tables && widehash verify month.model\n");
  add_operand(
      command.app, "PATH", options->path,
      "dataset from `widehash transform`, tables from `widehash fit`, or model from `widehash train`");
  add_work_options(command.app, options->common);
  command.run = [options] { run(*options); };
}

}  // namespace widehash::tools
