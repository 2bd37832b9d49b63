#pragma once

/// \file
/// Trains over P devices with the same steps, and compares the results with those of one device.

#include "base/temp_folder.hpp"
#include "network/batches.hpp"
#include "network/optimizer_kinds.hpp"

#include <widehash/device_team.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/strategy.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace widehash::test {

/// The training of a test: steps of given rows, epoch by epoch.
struct Course {
  Architecture architecture;
  OptimizerSettings optimizer;
  std::vector<CodeBatch> steps;  // of one epoch
  std::uint64_t epochs = 1;
  std::vector<std::uint64_t> borders = {};
};

/// A course with every kind of slot and with weights: `num_steps` steps of `rows` rows, then a last
/// one of `last_rows`.
inline Course make_course(OptimizerKind kind, std::vector<std::uint32_t> hidden, std::size_t rows,
                          std::size_t last_rows, std::size_t num_steps, std::uint64_t epochs) {
  Course course;
  const auto layout = mixed_layout();
  course.architecture.num_columns = layout->num_columns;
  course.architecture.hidden = std::move(hidden);
  course.architecture.activation = ActivationKind::tanh;
  course.architecture.active_columns = active_columns(*layout);
  course.architecture.seed = 7;
  course.optimizer =
      default_settings(kind, {course.architecture.active_columns, 0, !course.architecture.hidden.empty()});
  course.optimizer.l2 = 1e-3;
  // Only for some rules: the others divide gradients by the weight of each step.
  if (kind == OptimizerKind::sgd || kind == OptimizerKind::adam) course.optimizer.mean_weight = 1.25;
  for (std::size_t step = 0; step < num_steps; ++step)
    course.steps.push_back(random_batch(layout, rows, step + 1));
  if (last_rows > 0) course.steps.push_back(random_batch(layout, last_rows, 99));
  course.epochs = epochs;
  return course;
}

/// The result of a training: the model, and the weighted loss of the last epoch.
template <class Real>
struct Outcome {
  Model<Real> model;
  double loss = 0;
  double weight = 0;
  std::string file_bytes;
};

/// Trains over `devices` from epoch `first_epoch` on, starting with the model `from` if it is given.
template <class Real>
Outcome<Real> train_course_on(const std::vector<Device>& devices, const Course& course,
                              const ParallelSettings& settings, std::uint64_t first_epoch = 0,
                              const std::string& from = {}) {
  const TempFolder folder;
  const std::string path = folder.file("model");
  DeviceTeam team(devices, {.threads = devices.size()});
  std::array<double, 2> sums{};
  team.run([&](Communicator& communicator) {
    std::unique_ptr<ModelFile<Real>> file;
    if (!from.empty()) file = std::make_unique<ModelFile<Real>>(from);
    const auto strategy = make_strategy<Real>(
        settings, communicator, {course.architecture, course.optimizer, file.get(), course.borders});
    std::array<double, 2> own{};
    const auto add = [&](const LossSum& sum) {
      own[0] += sum.loss;
      own[1] += sum.weight;
    };
    for (std::uint64_t epoch = first_epoch; epoch < course.epochs; ++epoch) {
      own = {};
      for (std::size_t i = 0; i < course.steps.size(); ++i) {
        const CodeBatchView rows = course.steps[i].view();
        const RowSlice slice = strategy->rows_of_step(rows.num_rows);
        add(strategy->step(rows.rows(slice.begin, slice.count),
                           {rows.num_rows, i, i + 1 == course.steps.size(), "a step"}));
      }
      while (const auto sum = strategy->settle()) add(*sum);
    }
    communicator.all_reduce(std::span<double>(own));
    if (communicator.rank() == 0) sums = own;
    ModelHeader header{course.architecture, course.optimizer, {}, {}, {}, "{}"};
    save_model(path, communicator, *strategy, header);
  });
  return {load_model<Real>(path), sums[0], sums[1], read_text_file(path)};
}

/// The same over `devices` virtual devices, all of them on `device`.
template <class Real>
Outcome<Real> train_course(const Course& course, const ParallelSettings& settings, std::size_t devices,
                           std::uint64_t first_epoch = 0, const std::string& from = {},
                           const Device& device = {}) {
  return train_course_on<Real>(std::vector<Device>(devices, device), course, settings, first_epoch, from);
}

/// |a - b| / |a| over all parameters as one vector.
template <class Real>
double distance(const Parameters<Real>& a, const Parameters<Real>& b) {
  double size = 0;
  double difference = 0;
  for (std::size_t t = 0; t < a.tensors().size(); ++t) {
    const auto x = a.tensors()[t].values;
    const auto y = b.tensors()[t].values;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double xi = x[i];
      const double error = xi - static_cast<double>(y[i]);
      size += xi * xi;
      difference += error * error;
    }
  }
  return size > 0 ? std::sqrt(difference / size) : std::sqrt(difference);
}

/// What rounding may do in 50 steps: 1e-12 in double, 1e-5 in float.
template <class Real>
inline constexpr double rounding = sizeof(Real) == 8 ? 1e-12 : 1e-5;

template <class Real>
void expect_equal(const Outcome<Real>& actual, const Outcome<Real>& expected, const std::string& what) {
  EXPECT_LE(distance(expected.model.network.parameters(), actual.model.network.parameters()), rounding<Real>)
      << what;
  EXPECT_EQ(actual.model.optimizer.step(), expected.model.optimizer.step()) << what;
  for (std::size_t s = 0; s < expected.model.optimizer.states().size(); ++s) {
    EXPECT_LE(distance(expected.model.optimizer.states()[s], actual.model.optimizer.states()[s]),
              rounding<Real>)
        << what << ", state " << s;
  }
  EXPECT_NEAR(actual.loss, expected.loss, 10 * rounding<Real> * std::abs(expected.loss)) << what;
  EXPECT_NEAR(actual.weight, expected.weight, 1e-12 * expected.weight) << what;
}

}  // namespace widehash::test
