#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "progress_bar.hpp"
#include "report.hpp"
#include "stop_signals.hpp"
#include "text.hpp"

#include <widehash/error.hpp>
#include <widehash/export.hpp>
#include <widehash/internal/dataset_places.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/threads.hpp>

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace widehash::tools {
namespace {

struct Options {
  std::vector<std::string> datasets;
  std::string format;
  std::string output;
  CommonOptions common;
};

void export_to(const Dataset& dataset, const Options& options, const ProgressCallback& progress) {
  if (options.format == "npz") {
    const FileLock lock(options.output);
    export_npz(dataset, options.output, progress);
    return;
  }
  TextOutput output(options.output);
  const TextSink sink = [&output](std::string_view text) { output.write(text); };
  if (options.format == "libsvm") {
    export_libsvm(dataset, sink, progress);
  } else {
    export_vw(dataset, sink, progress);
  }
  output.finish();
}

void check(const Options& options) {
  const bool to_standard_output = options.output == "-";
  if (options.format == "npz") {
    if (to_standard_output) {
      throw ConfigError("export: npz is written in several passes and needs a file; give one with -o");
    }
    require_file_place(options.output);
  }
  refuse_valued_file(options.output);
  if (to_standard_output && options.common.json) {
    throw ConfigError("export: --json and the matrix cannot share the standard output; give a file with -o");
  }
}

void run(const Options& options) {
  check(options);
  const Stopwatch watch;
  ProgressBar bar("export", options.common.show_progress());
  const Dataset dataset = join_datasets(options.datasets);
  require_apart(options.output, places_of(dataset));
  const std::string stopped = "export: stopped as asked; the matrix is not written; start it again";
  with_threads(options.common.threads,
               [&] { export_to(dataset, options, stoppable(bar.callback(), stopped)); });
  bar.erase();
  if (options.format == "libsvm" && dataset.layout()->has_weights)
    write_warning(
        "export: libsvm has no place for the weights of rows, which were left out; npz and vw have them");
  const double seconds = watch.seconds();
  const std::uint64_t rows = dataset.num_rows();
  if (options.common.json) {
    Json object;
    object["rows"] = rows;
    set_speed(object, rows, seconds);
    object["num_columns"] = dataset.manifest().num_columns;
    object["format"] = options.format;
    object["output"] = options.output;
    print_json(object);
  } else if (options.output != "-" && !options.common.quiet) {
    write_standard_output(
        fmt::format("{}: {}, {}  ({})\n", printable(options.output), count_text(rows, "row"),
                    count_text(dataset.manifest().num_columns, "column"), speed_text(rows, 0, seconds)));
  }
}

}  // namespace

void add_export_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command =
      program.add("export", "write datasets for scipy, LIBLINEAR or Vowpal Wabbit",
                  "# for scipy.sparse.load_npz; the array `targets` in the same file holds the labels\n"
                  "widehash export day1 --format npz -o day1.npz\n"
                  "# pipe straight into another program\n"
                  "widehash export day1 --format vw -o - | vw --loss_function logistic -f vw.model\n");
  add_operands(
      command.app, "DIR", options->datasets, 1,
      "datasets from `widehash transform`, of the same schema; several are written one after another");
  add_choice(
      command.app, "--format", options->format, {"npz", "libsvm", "vw"},
      "output format; labels that are all 0 or 1 become -1 and 1 in vw, and are unchanged in the others")
      .required();
  add_output_text(command.app, options->output,
                  "file to write, replacing an existing one; - for standard output (not for npz)")
      .required();
  add_work_options(command.app, options->common);
  command.run = [options] { run(*options); };
}

}  // namespace widehash::tools
