#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "progress_bar.hpp"
#include "report.hpp"
#include "text.hpp"

#include <widehash/dataset.hpp>
#include <widehash/threads.hpp>

#include <memory>

#include <fmt/format.h>

namespace widehash::tools {
namespace {

struct Options {
  std::string directory;
  CommonOptions common;
};

void run(const Options& options) {
  const Stopwatch watch;
  ProgressBar bar("verify", options.common.show_progress());
  VerifyReport report;
  with_threads(options.common.threads, [&] { report = verify_dataset(options.directory, bar.callback()); });
  bar.erase();
  const double seconds = watch.seconds();
  if (options.common.json) {
    Json object;
    object["rows"] = report.rows;
    object["rejected_rows"] = report.rejected_rows;
    set_speed(object, report.rows, report.bytes, seconds);
    object["shards"] = report.shards;
    object["bytes"] = report.bytes;
    print_json(object);
  } else if (!options.common.quiet) {
    write_standard_output(fmt::format(
        "{}: sound; {} rows and {} rejected in {} shard{}, {}  ({})\n", printable(options.directory),
        count_text(report.rows), count_text(report.rejected_rows), count_text(report.shards),
        report.shards == 1 ? "" : "s", bytes_text(report.bytes), speed_text(0, report.bytes, seconds)));
  }
}

}  // namespace

void add_verify_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command = program.add("verify", "read a dataset again and compare every checksum and count",
                                 "# after a copy to another machine\n"
                                 "widehash verify month\n"
                                 "# in a script: exit code 1 names the damaged file\n"
                                 "widehash verify month --quiet && widehash train month -o month.model\n");
  add_operand(command.app, "DIR", options->directory, "dataset that `widehash transform` wrote");
  add_work_options(command.app, options->common);
  command.run = [options] { run(*options); };
}

}  // namespace widehash::tools
