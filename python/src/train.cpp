#include "bindings.hpp"
#include "job.hpp"
#include "metrics.hpp"
#include "text.hpp"

#include <widehash/train.hpp>
#include <widehash/train_choices.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <pybind11/stl.h>

namespace widehash::python {
namespace {

/// The type of an argument, in the words of Python.
template <class Value>
constexpr const char* wanted = "a list";
template <>
constexpr const char* wanted<std::string> = "a str";
template <>
constexpr const char* wanted<double> = "a number";
template <>
constexpr const char* wanted<std::uint64_t> = "a whole number";
template <>
constexpr const char* wanted<bool> = "a bool";
template <class Value>
constexpr const char* wanted<std::optional<Value>> = wanted<Value>;

/// Returns an argument of widehash.train(). Throws TypeError if it has the wrong type.
template <class Value>
Value value_of(const py::dict& given, const char* name) {
  const py::object value = given[name];
  try {
    return value.cast<Value>();
  } catch (const py::cast_error&) {
    throw py::type_error(
        fmt::format("train: {} = {} must be {}", name, py::repr(value).cast<std::string>(), wanted<Value>));
  }
}

ParallelSettings parallel_settings(const py::dict& given) {
  ParallelSettings settings;
  settings.mode = parse_parallel_mode(value_of<std::string>(given, "parallel"));
  settings.mix = parse_mix(value_of<std::string>(given, "mix"));
  settings.mix_every = value_of<std::uint64_t>(given, "mix_every");
  check_mixing(settings);
  return settings;
}

TrainChoices train_choices(const py::dict& given) {
  using Number = std::optional<double>;
  TrainChoices choices;
  if (const auto kind = value_of<std::optional<std::string>>(given, "optimizer"))
    choices.optimizer = parse_optimizer(*kind);
  choices.learning_rate = value_of<Number>(given, "learning_rate");
  choices.l1 = value_of<Number>(given, "l1");
  choices.l2 = value_of<Number>(given, "l2");
  choices.beta = value_of<Number>(given, "beta");
  choices.beta1 = value_of<Number>(given, "beta1");
  choices.beta2 = value_of<Number>(given, "beta2");
  choices.rho = value_of<Number>(given, "rho");
  choices.epsilon = value_of<Number>(given, "epsilon");
  choices.batch_size = value_of<std::optional<std::uint64_t>>(given, "batch_size");
  return choices;
}

/// Sets the given network options, which a model to start from would have settled. Returns their names, as
/// the library spells them.
std::vector<std::string> set_network(const py::dict& given, TrainOptions& train) {
  std::vector<std::string> of_new_networks;
  const auto take = [&](const char* name) {
    auto value = value_of<std::optional<std::string>>(given, name);
    if (value) of_new_networks.push_back("--" + std::string(name));
    return value;
  };
  train.hidden = take("hidden").value_or(train.hidden);
  if (const auto activation = take("activation")) train.activation = parse_activation(*activation);
  if (const auto loss = take("loss"); loss && *loss != "auto") train.loss = parse_loss(*loss);
  return of_new_networks;
}

TrainOptions train_options(const py::dict& given) {
  TrainOptions train;
  const std::vector<std::string> of_new_networks = set_network(given, train);
  if (const auto from = value_of<std::optional<std::string>>(given, "from_model")) {
    check_start(*from, of_new_networks);
    train.from = *from;
  } else if (std::ranges::find(of_new_networks, "--activation") != of_new_networks.end()) {
    check_activation(train.hidden);
  }
  train.datasets = value_of<std::vector<std::string>>(given, "datasets");
  train.model = value_of<std::string>(given, "model");
  train.valid = value_of<std::vector<std::string>>(given, "valid");
  train.devices = parse_devices(value_of<std::string>(given, "devices"));
  train.parallel = parallel_settings(given);
  train.decay_learning_rate = value_of<bool>(given, "decay_learning_rate");
  train.epochs = value_of<std::uint64_t>(given, "epochs");
  train.seed = value_of<std::uint64_t>(given, "seed");
  if (const auto weights = value_of<std::optional<std::string>>(given, "class_weights"))
    train.class_weights = parse_class_weights(*weights);
  train.class_weights.by_name =
      value_of<std::vector<std::pair<std::string, double>>>(given, "class_weights_by_name");
  train.early_stop = value_of<std::uint64_t>(given, "early_stop");
  train.checkpoint_every = value_of<std::uint64_t>(given, "checkpoint_every");
  train.resume = value_of<bool>(given, "resume");
  train.overwrite = value_of<bool>(given, "overwrite");
  train.shuffle = value_of<bool>(given, "shuffle");
  train.memory_bytes = value_of<std::uint64_t>(given, "memory_bytes");
  train.profile = value_of<std::string>(given, "profile");
  return train;
}

py::object metrics_or_none(const std::optional<MetricsReport>& metrics) {
  return metrics ? py::object(metrics_dict(*metrics)) : py::object(py::none());
}

py::dict epoch_dict(const EpochReport& epoch) {
  py::dict dict;
  dict["epoch"] = epoch.epoch;
  dict["train_loss"] = epoch.train_loss;
  dict["valid"] = metrics_or_none(epoch.valid);
  dict["rows"] = epoch.rows;
  dict["rows_this_run"] = epoch.rows_this_run;
  dict["seconds"] = epoch.seconds;
  return dict;
}

py::dict optimizer_dict(const OptimizerSettings& optimizer) {
  py::dict dict;
  dict["kind"] = to_string(optimizer.kind);
  dict["learning_rate"] = optimizer.learning_rate;
  dict["decay_steps"] = optimizer.decay_steps;
  dict["decay_start"] = optimizer.decay_start;
  dict["l1"] = optimizer.l1;
  dict["l2"] = optimizer.l2;
  dict["beta"] = optimizer.beta;
  dict["beta1"] = optimizer.beta1;
  dict["beta2"] = optimizer.beta2;
  dict["rho"] = optimizer.rho;
  dict["epsilon"] = optimizer.epsilon;
  dict["mean_weight"] = optimizer.mean_weight;
  return dict;
}

py::dict device_dict(const DeviceReport& device) {
  py::dict dict;
  dict["rank"] = device.rank;
  dict["device"] = device.device;
  dict["seconds"] = device.seconds;
  for (std::size_t i = 0; i < num_activities; ++i)
    dict[py::str(fmt::format("{}_share", to_string(static_cast<Activity>(i))))] = device.shares[i];
  dict["bytes_sent"] = device.bytes_sent;
  dict["bytes_sent_to_other_hosts"] = device.bytes_sent_to_other_hosts;
  return dict;
}

std::optional<double> finite_or_none(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

py::object label_shift_or_none(const std::optional<LabelShift>& shift) {
  if (!shift) return py::none();
  const auto moments = [](const TargetUnits& units) {
    py::dict dict;
    dict["mean"] = units.shift;
    dict["standard_deviation"] = units.scale;
    return dict;
  };
  py::dict dict;
  dict["before"] = moments(shift->before);
  dict["now"] = moments(shift->now);
  return dict;
}

py::dict report_dict(const TrainReport& report, const TrainOptions& options) {
  py::list epochs;
  for (const EpochReport& epoch : report.epochs) epochs.append(epoch_dict(epoch));
  py::list devices;
  for (const DeviceReport& device : report.devices) devices.append(device_dict(device));
  py::dict dict;
  dict["rows"] = report.rows;
  dict["epochs"] = epochs;
  dict["start"] = metrics_or_none(report.start);
  dict["loss_of_guessing"] = report.loss_of_guessing;
  dict["own_rows"] = to_str_or_none(report.own_rows);
  dict["repeated_rows"] = to_str_or_none(report.repeated_rows);
  dict["only_target"] = report.only_target;
  dict["label_shift"] = label_shift_or_none(report.label_shift);
  dict["class_weights"] = report.class_weights.empty() ? std::nullopt : std::optional(report.class_weights);
  dict["best_epoch"] = report.best_epoch;
  dict["best_valid_loss"] = finite_or_none(report.best_valid_loss);
  dict["start_valid_loss"] = finite_or_none(report.start_valid_loss);
  dict["stopped_early"] = report.stopped_early;
  dict["batch_size"] = options.batch_size;
  dict["num_columns"] = report.num_columns;
  dict["num_parameters"] = report.num_parameters;
  dict["optimizer"] = optimizer_dict(report.optimizer);
  dict["kept_state"] = options.from.empty() ? std::nullopt : std::optional(report.kept_state);
  dict["efficiency"] = report.efficiency;
  dict["threads"] = report.threads;
  dict["mean_threads"] = report.mean_threads;
  dict["devices"] = devices;
  dict["is_main"] = report.is_main;
  const std::optional<MetricsReport> kept = kept_metrics(report);
  dict["is_worse_than_constant"] = kept ? std::optional(kept->is_worse_than_constant()) : std::nullopt;
  dict["is_astray"] = is_astray(report);
  return dict;
}

/// `on_epoch` is a callable that takes the dict of an epoch, or None.
py::dict train_job(const py::dict& given, const py::object& on_epoch, std::size_t threads,
                   const py::object& tell) {
  TrainOptions options = train_options(given);
  const TrainChoices choices = train_choices(given);
  TrainReport report;
  run_job(threads, tell, [&](Job& job) {
    options = with_defaults(options, choices);
    options.stop = &job.stop();
    report = train(options, job.progress(), [&](const EpochReport& epoch) {
      job.on_caller([&] {
        if (!on_epoch.is_none()) on_epoch(epoch_dict(epoch));
      });
    });
  });
  return report_dict(report, options);
}

}  // namespace

void bind_train(py::module_& module) { module.def("train_job", &train_job); }

}  // namespace widehash::python
