#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "progress_bar.hpp"
#include "report.hpp"
#include "stop_signals.hpp"
#include "train_report.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/threads.hpp>
#include <widehash/train.hpp>
#include <widehash/train_choices.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace widehash::tools {
namespace {

struct Options {
  TrainOptions train;
  TrainChoices choices;  // its kind of optimizer is set from `optimizer`, if that was given
  std::string optimizer = to_string(OptimizerSettings{}.kind);
  std::string activation = to_string(TrainOptions{}.activation);
  std::string loss = "auto";
  std::string class_weights;
  std::optional<Option> weights;
  std::string devices = "cpu";
  std::string parallel = to_string(ParallelSettings{}.mode);
  std::string mix = to_string(ParallelSettings{}.mix);
  std::uint64_t mix_every = ParallelSettings{}.mix_every;
  std::string decay = "linear";
  bool no_shuffle = false;
  // Whether these were given decides what is allowed with --from.
  std::vector<Option> of_new_networks;
  std::optional<Option> from;
  std::optional<Option> kind;
  std::optional<Option> lr_decay;
  CommonOptions common;
};

ParallelSettings parallel_settings(const Options& options) {
  ParallelSettings settings;
  settings.mode = parse_parallel_mode(options.parallel);
  settings.mix = parse_mix(options.mix);
  settings.mix_every = options.mix_every;
  check_mixing(settings);
  return settings;
}

/// Throws ConfigError if options set what the model to start from has settled.
void check_from(const Options& options) {
  if (!options.from->was_given()) return;
  std::vector<std::string> of_new_networks;
  for (const Option& option : options.of_new_networks)
    if (option.was_given()) of_new_networks.push_back(option.name());
  check_start(options.train.from, of_new_networks);
}

void check_network(const Options& options) {
  const auto is_activation = [](const Option& option) { return option.name() == "--activation"; };
  const auto activation = std::ranges::find_if(options.of_new_networks, is_activation);
  if (activation->was_given()) check_activation(options.train.hidden);
}

[[noreturn]] void refuse_decay_of_ftrl() {
  throw ConfigError("train: the learning rate of ftrl never falls; leave --lr-decay out");
}

TrainOptions train_options(const Options& options) {
  // First what needs no data: a wrong command is reported before a missing file.
  TrainOptions train = options.train;
  check_from(options);
  if (!options.from->was_given()) check_network(options);
  train.devices = parse_devices(options.devices);
  train.parallel = parallel_settings(options);
  train.activation = parse_activation(options.activation);
  if (options.loss != "auto") train.loss = parse_loss(options.loss);
  train.decay_learning_rate = options.decay == "linear";
  train.shuffle = !options.no_shuffle;
  if (options.weights->was_given()) train.class_weights = parse_class_weights(options.class_weights);
  const bool falls = options.lr_decay->was_given() && train.decay_learning_rate;
  if (options.optimizer == "ftrl" && falls) refuse_decay_of_ftrl();
  TrainChoices choices = options.choices;
  if (options.kind->was_given()) choices.optimizer = parse_optimizer(options.optimizer);
  train = with_defaults(train, choices);
  // The model of --from or --resume may have brought it.
  if (train.optimizer.kind == OptimizerKind::ftrl && falls) refuse_decay_of_ftrl();
  train.stop = &stop_on_signals();
  return train;
}

/// Only a trace may be replaced by a trace.
void require_trace_place(const std::string& path) {
  require_file_place(path);
  if (!file_exists(path)) return;
  constexpr std::string_view beginning = "{\"displayTimeUnit\"";
  const MappedFile file(path);
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  if (!text.empty() && !text.starts_with(beginning))
    throw ConfigError(path + ": exists and is not a trace of --profile; give another path");
}

void check_places(const Options& options) {
  if (options.train.model == "-") {
    throw ConfigError(
        "train: -o -: the model is rewritten after each epoch, which the standard output does not allow; "
        "name a file (./- for one named -)");
  }
  require_file_place(options.train.model);  // before hours of training rather than after
  if (!options.train.profile.empty()) require_trace_place(options.train.profile);
}

void run(const Options& options) {
  check_places(options);
  const TrainOptions settings = train_options(options);
  const bool talk = !options.common.json && !options.common.quiet;
  const Stopwatch watch;
  ProgressBar bar("train", options.common.show_progress());
  const auto say_epoch = [&](const EpochReport& epoch) {
    bar.erase();
    if (talk) write_standard_output(epoch_text(epoch, settings.epochs));
  };
  TrainReport report;
  with_threads(options.common.threads, [&] { report = train(settings, bar.callback(), say_epoch); });
  bar.erase();
  // Only one of several processes reports.
  if (!report.is_main) return;
  if (options.common.json) print_json(report_json(report, settings, watch.seconds()));
  if (talk) {
    write_standard_output('\n' + report_text(report, settings, watch.seconds()));
  } else if (const std::string judgement = judgement_text(report, settings); !judgement.empty()) {
    write_warning("train: " + judgement);
  }
}

void add_network_options(CLI::App& app, Options& options) {
  options.of_new_networks = {
      add_text(app, "--hidden", options.train.hidden, "SIZES",
               "hidden layers: none for the linear wide model, auto for one layer of columns^0.3 units, or "
               "sizes such as 32,16"),
      add_choice(app, "--activation", options.activation, {"linear", "relu", "sigmoid", "tanh"},
                 "activation function of the hidden layers"),
      add_choice(app, "--loss", options.loss, {"auto", "logistic", "mse", "softmax", "poisson"},
                 "loss to minimize; auto is softmax for a label with classes, otherwise logistic; mse is for "
                 "numbers, poisson for counts and rates")};
}

void add_class_weights(CLI::App& app, Options& options) {
  options.weights =
      add_text(app, "--class-weights", options.class_weights, "WEIGHTS",
               "how much a row counts by its class, in training and for --valid: one number per class in the "
               "order of the label's classes (1,10 makes positive rows count ten times as much), numbers by "
               "class name (yes=10; the others count 1), or balanced, so that all classes count the same. "
               "--resume keeps the weights; so does --from, unless others are given");
}

/// Returns the option for the kind of optimizer.
Option add_optimizer_options(CLI::App& app, Options& options) {
  TrainChoices& choices = options.choices;
  const Option kind = add_choice(
      app, "--optimizer", options.optimizer, {"ftrl", "adagrad", "adam", "rmsprop", "sgd"},
      "update rule; with --from, the model's own unless given. Each optimizer has its own defaults for the "
      "settings below, and the more columns a row sets, the smaller the default learning rate");
  add_number(app, "--lr", choices.learning_rate,
             "learning rate (default: depends on the optimizer, the network, the loss, the number of rows, "
             "the columns a row sets and the batch size)");
  add_number(app, "--l1", choices.l1, "L1 regularisation");
  add_number(app, "--l2", choices.l2,
             "L2 regularisation (default: 8 / rows for four-split features, 2 / rows for others; with hidden "
             "layers 32 / (rows + 1500) and 8 / (rows + 1500); an eighth of that with --from; 0 for more "
             "than half a million rows, and for ftrl)");
  add_number(app, "--beta", choices.beta, "beta of ftrl");
  add_number(app, "--beta1", choices.beta1, "decay rate of adam's first moment");
  add_number(app, "--beta2", choices.beta2, "decay rate of adam's second moment");
  add_number(app, "--rho", choices.rho, "decay rate of rmsprop");
  add_number(app, "--epsilon", choices.epsilon,
             "constant added to the square root in adagrad, adam and rmsprop");
  return kind;
}

void add_schedule_options(CLI::App& app, Options& options) {
  TrainOptions& train = options.train;
  options.lr_decay = add_choice(app, "--lr-decay", options.decay, {"linear", "none"},
                                "linear lowers the learning rate to 0 over all epochs, none keeps it "
                                "constant; ftrl's is always constant");
  add_count(app, "--batch-size", options.choices.batch_size,
            "maximum number of rows per step; the rows of an epoch are divided evenly among its steps "
            "(default: 512; for the linear model up to 16384, as long as an epoch on one device has 900 "
            "steps; less if there would be fewer than six steps in all)");
  add_count(app, "--epochs", train.epochs, "number of passes over the rows");
  add_count(app, "--seed", train.seed, "seed for the initial weights and the order of rows");
  add_switch(app, "--no-shuffle", options.no_shuffle, "take rows in dataset order");
  add_count(app, "--early-stop", train.early_stop,
            "stop after this many epochs without a better validation loss; 0 for never");
  add_count(app, "--checkpoint-every", train.checkpoint_every,
            "number of batches between checkpoints; 0 for the end of each epoch only");
  add_switch(app, "--resume", train.resume,
             "resume from the checkpoint; the result is the same as without the interruption. Optimizer "
             "settings and the batch size keep their values unless given");
  add_switch(app, "--overwrite", train.overwrite,
             "replace an existing model, or the checkpoint of a training that could be resumed");
}

void add_parallel_options(CLI::App& app, Options& options) {
  add_text(app, "--devices", options.devices, "LIST",
           "devices to train on: cpu, or cpu,cpu,cpu for three virtual devices that share --threads; cuda "
           "for every GPU, or cuda:0,cuda:1; cuda:0,cuda:0 for two virtual devices on one GPU. Under mpirun "
           "each process has its own list, and all devices train together");
  add_choice(app, "--parallel", options.parallel, {"data", "tower", "model"},
             "how several devices share the work: data cuts each batch into slices, tower gives each device "
             "its own batch, model divides the columns of the first layer");
  add_choice(app, "--mix", options.mix, {"gradients", "parameters", "predictions"},
             "what towers share: their gradients at every step, the mean of their parameters every "
             "--mix-every steps, or only the mean of their predictions");
  add_count(app, "--mix-every", options.mix_every, "number of steps between two means of the parameters");
  add_bytes_or_none(
      app, "--memory", options.train.memory_bytes,
      "memory limit on each device for parameters, gradients and optimizer state; 0 for no limit");
  add_text(app, "--profile", options.train.profile, "FILE",
           "write a trace of what each device did, for ui.perfetto.dev or chrome://tracing");
}

}  // namespace

void add_train_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command = program.add(
      "train", "train a network on datasets, streaming their shards",
      "# the linear wide model, evaluated on another day after each epoch\n"
      "widehash train day1 -o clicks.model --valid day2\n"
      "# a week whose days were encoded one by one\n"
      "widehash train day1 day2 day3 day4 day5 day6 -o clicks.model --valid day7\n"
      "# two hidden layers, at most ten epochs; the best epoch is kept\n"
      "widehash train day1 -o clicks.model --valid day2 --hidden 32,16 --epochs 10 "
      "--early-stop 2\n"
      "# sparse weights with FTRL; after a crash, rerun it with --resume added\n"
      "widehash train month -o month.model --optimizer ftrl --l1 1e-5 --checkpoint-every "
      "10000\n"
      "# the next day: continue with the same network on new rows\n"
      "widehash train day3 -o clicks3.model --from clicks.model\n"
      "# divide a model over three devices; slice each batch over the cores of four hosts\n"
      "widehash train month -o month.model --hidden 64 --devices cpu,cpu,cpu --parallel model\n"
      "mpirun -n 4 --map-by ppr:1:node --bind-to none widehash train month -o month.model --batch-size "
      "65536\n");
  CLI::App& app = command.app;
  add_operands(app, "DIR", options->train.datasets, 1,
               "datasets from `widehash transform`, of the same schema; several are trained on as one");
  add_text(app, "-o,--output", options->train.model, "MODEL", "file for the model").required();
  add_folders(
      app, "--valid", options->train.valid,
      "dataset to evaluate on after each epoch. May be given several times; several datasets count as one");
  options->from = add_text(app, "--from", options->train.from, "MODEL",
                           "start from this finished model, such as yesterday's, instead of fresh weights. "
                           "Its layers and loss are kept, and so is its optimizer's state if the optimizer "
                           "is of the same kind. -o must name another file");
  add_network_options(app, *options);
  add_class_weights(app, *options);
  options->kind = add_optimizer_options(app, *options);
  add_schedule_options(app, *options);
  add_parallel_options(app, *options);
  add_work_options(app, options->common);
  command.processes = Processes::shared;
  command.run = [options] { run(*options); };
}

}  // namespace widehash::tools
