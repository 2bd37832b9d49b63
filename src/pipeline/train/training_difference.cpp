#include "training_difference.hpp"

#include "predict/class_weights_note.hpp"
#include "training_notes.hpp"

#include <widehash/class_weights.hpp>

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace widehash {
namespace {

using Json = nlohmann::json;

class Differences {
 public:
  void compare(const std::string& what, const std::string& then, const std::string& now) {
    if (then != now) add(fmt::format("{}: {} before, {} now", what, then, now));
  }
  void add(const std::string& text) { texts_.push_back(text); }
  std::string text() const { return fmt::format("{}", fmt::join(texts_, "; ")); }

 private:
  std::vector<std::string> texts_;
};

std::string hidden_text(const Architecture& architecture) {
  return architecture.hidden.empty() ? "none" : fmt::format("{}", fmt::join(architecture.hidden, ","));
}

void compare_optimizers(const OptimizerSettings& then, const OptimizerSettings& now, bool has_same_steps,
                        Differences& found) {
  found.compare("--optimizer", to_string(then.kind), to_string(now.kind));
  // For different optimizers, the rest would compare settings with different defaults.
  if (then.kind != now.kind) return;
  const auto numbers_then = nlohmann::ordered_json::parse(to_json(then));
  const auto numbers_now = nlohmann::ordered_json::parse(to_json(now));
  for (const auto& [key, number] : numbers_then.items()) {
    // The mean weight follows from the rows, and decay_* is reported below.
    if (!number.is_number() || key == "mean_weight" || key.starts_with("decay_")) continue;
    found.compare(key == "learning_rate" ? "--lr" : "--" + key, fmt::format("{}", number.get<double>()),
                  fmt::format("{}", numbers_now.at(key).get<double>()));
  }
  // With other steps, the steps over which the rate falls are others anyway.
  if (has_same_steps && (then.decay_steps != now.decay_steps || then.decay_start != now.decay_start))
    found.add("the steps over which the learning rate falls, by --epochs or --lr-decay");
}

std::string text(const Json& settings, const char* key) {
  return settings.contains(key) ? settings[key].dump() : std::string("none");
}

/// Returns the class weights in the form that --class-weights takes.
std::string weights_text(const Json& settings) {
  return settings.contains(class_weights_key)
             ? to_text(settings[class_weights_key].get<std::vector<double>>())
             : std::string("none");
}

void compare_settings(const Json& then, const Json& now, Differences& found) {
  found.compare("rows per step", text(then, "batch_size"), text(now, "batch_size"));
  found.compare("--class-weights", weights_text(then), weights_text(now));
  found.compare("--seed", text(then, "seed"), text(now, "seed"));
  if (text(then, "shuffle") != text(now, "shuffle")) found.add("whether rows are shuffled");
  found.compare("rows of the dataset", text(then, "rows"), text(now, "rows"));
  if (text(then, "rows") == text(now, "rows") && text(then, "data") != text(now, "data"))
    found.add("the dataset has different rows");
  if (text(then, "from") != text(now, "from")) found.add("the model that it started from (--from)");
}

}  // namespace

std::string describe_difference(const TrainingIdentity& then, const TrainingIdentity& now) {
  Differences found;
  found.compare("--hidden", hidden_text(then.architecture), hidden_text(now.architecture));
  found.compare("--activation", to_string(then.architecture.activation),
                to_string(now.architecture.activation));
  found.compare("--loss", to_string(then.architecture.loss), to_string(now.architecture.loss));
  const bool has_same_steps = text(then.settings, "batch_size") == text(now.settings, "batch_size");
  compare_optimizers(then.optimizer, now.optimizer, has_same_steps, found);
  compare_settings(then.settings, now.settings, found);
  const bool is_same = then.architecture == now.architecture && then.optimizer == now.optimizer &&
                       then.settings == now.settings;
  const std::string differences = found.text();
  // For example the units of the targets, which follow from the data.
  return !is_same && differences.empty() ? "what follows from the data" : differences;
}

}  // namespace widehash
