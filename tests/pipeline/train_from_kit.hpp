#pragma once

/// \file
/// Two days of rows, and what training with --from makes of the model of the first day.

#include "network/optimizer_kinds.hpp"
#include "training_kit.hpp"

#include <widehash/model.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace widehash::test {

struct Enough {};

inline std::vector<float> numbers(const Parameters<float>& set) {
  std::vector<float> all;
  for (const auto& tensor : set.tensors()) all.insert(all.end(), tensor.values.begin(), tensor.values.end());
  return all;
}

/// Parameters, states and steps of all towers.
struct Contents {
  std::vector<std::vector<float>> sets;
  std::vector<std::uint64_t> steps;
  bool operator==(const Contents&) const = default;
};

inline Contents contents(const std::string& path) {
  const ModelFile<float> file(path);
  const ColumnRange all{0, file.header().architecture.num_columns};
  Contents found{{}, file.header().steps};
  for (std::size_t tower = 0; tower < file.header().num_towers(); ++tower) {
    found.sets.push_back(numbers(file.parameters(tower, all)));
    for (const auto& state : file.states(tower, all)) found.sets.push_back(numbers(state));
  }
  return found;
}

/// Rows [begin, end) of a text with a header.
inline std::string rows_of(const std::string& text, std::size_t begin, std::size_t end) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
    lines.push_back(text.substr(at, text.find('\n', at) + 1 - at));
  std::string part = lines.front();
  for (std::size_t i = begin; i < end; ++i) part += lines.at(i + 1);
  return part;
}

/// `rows` rows of a text whose label comes first, with labels 1 and 0 alternating, so that any even number of
/// consecutive rows has the same shares of both.
inline std::string in_turn(const std::string& text, std::size_t rows) {
  std::string found = text.substr(0, text.find('\n') + 1);
  std::size_t next[2] = {found.size(), found.size()};
  for (std::size_t i = 0; i < rows; ++i) {
    std::size_t& at = next[i % 2];
    while (text.at(at) != (i % 2 == 0 ? '1' : '0')) at = text.find('\n', at) + 1;
    const std::size_t end = text.find('\n', at) + 1;
    found += text.substr(at, end - at);
    at = end;
  }
  return found;
}

/// 576 rows, nine batches of 64; the first day has five of them. Both days have the same class shares, so
/// that training on one or on both starts alike.
class TrainFrom : public testing::Test {
 protected:
  TrainFrom() {
    const std::string text = in_turn(shop_text(2000, 1), 576);
    both_ = make_dataset(folder_, "both", shop_schema, text);
    day1_ = make_dataset(folder_, "day1", shop_schema, rows_of(text, 0, 320));
    day2_ = make_dataset(folder_, "day2", shop_schema, rows_of(text, 320, 576));
  }
  std::string file(const std::string& name) const { return folder_.file(name); }
  /// One epoch in the order of the rows, at a constant learning rate.
  TrainOptions plain(const std::string& dataset, const std::string& model, OptimizerKind kind) const {
    TrainOptions options = quick_training(dataset, file(model));
    options.epochs = 1;
    options.shuffle = false;
    options.decay_learning_rate = false;
    options.optimizer = default_settings(kind);
    return options;
  }
  TrainOptions onwards(TrainOptions options, const std::string& dataset, const std::string& from,
                       const std::string& model) const {
    options.datasets = {dataset};
    options.from = from;
    options.model = file(model);
    return options;
  }
  /// The second day after the first, with other settings that could matter.
  TrainOptions second_day(const std::string& model) {
    if (!file_exists(file("day1.model"))) train(quick_training(day1_, file("day1.model")));
    TrainOptions options = quick_training(day2_, file(model));
    options.from = file("day1.model");
    options.seed = 7;
    return options;
  }
  void train_until(std::uint64_t batches, const TrainOptions& options) {
    std::uint64_t done = 0;
    EXPECT_THROW(train(options,
                       [&](const Progress&) {
                         if (++done == batches) throw Enough();
                       }),
                 Enough);
  }
  /// Saves the model with the same parameters and a new optimizer.
  void renew(const std::string& from, const std::string& to, const OptimizerSettings& settings) const {
    Model<float> model = load_model<float>(from);
    model.optimizer = Optimizer<float>(settings, model.network.parameters());
    save_model(to, model);
  }

  TempFolder folder_;
  std::string both_, day1_, day2_;
};

}  // namespace widehash::test
