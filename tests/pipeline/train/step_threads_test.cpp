// The number of threads that steps are taken with, found by trying.
#include "train/step_threads.hpp"

#include "pipeline/training_kit.hpp"

#include <widehash/threads.hpp>

#include <chrono>
#include <cmath>
#include <functional>
#include <random>

#include <gtest/gtest.h>

namespace widehash::test {
namespace {

/// Nanoseconds a row takes with a number of threads.
using Pace = std::function<double(std::size_t)>;

/// Steps on a clock of their own, taken as a training takes them.
class FakeTraining {
 public:
  FakeTraining(std::size_t most, bool tries) : threads_(most, tries) {}

  /// Takes steps of `rows` rows for `seconds`. Returns the rows per second.
  double run(double seconds, const Pace& pace, std::uint64_t rows = 4096) {
    constexpr int steps_in_flight = 4;
    const StepThreads::Time start = now_;
    std::uint64_t done = 0;
    while (elapsed(start) < seconds) {
      count_ = threads_.begin();
      for (int left = steps_in_flight; left > 0 && elapsed(start) < 2 * seconds;) {
        const std::chrono::duration<double, std::nano> taken(pace(count_) * static_cast<double>(rows));
        now_ += std::chrono::duration_cast<StepThreads::Time::duration>(taken);
        done += rows;
        threads_.end_step(rows, now_);
        if (threads_.is_to_change() || elapsed(start) >= seconds) --left;
      }
    }
    return static_cast<double>(done) / elapsed(start);
  }
  std::size_t count() const { return count_; }
  const StepThreads& threads() const { return threads_; }

 private:
  double elapsed(StepThreads::Time start) const {
    return std::chrono::duration<double>(now_ - start).count();
  }

  StepThreads threads_;
  StepThreads::Time now_{};
  std::size_t count_ = 0;
};

Pace divided_by_threads(double pace) {
  return [=](std::size_t threads) { return pace / static_cast<double>(threads); };
}

TEST(StepThreads, KeepAllWhereTheyAreFastest) {
  FakeTraining training(8, true);
  const double rate = training.run(10, divided_by_threads(1600));
  EXPECT_EQ(training.count(), 8u);
  EXPECT_GT(rate, 0.98 * 8e9 / 1600) << "what trials cost";
  EXPECT_GT(training.threads().mean(), 7.9);
  EXPECT_LT(training.threads().mean(), 8) << "nothing was tried";
}

TEST(StepThreads, AreFewerWhereMoreAreSlower) {
  // As measured on two cores without a common cache.
  FakeTraining training(2, true);
  const double rate = training.run(1, [](std::size_t threads) { return threads == 1 ? 250.0 : 400.0; });
  EXPECT_EQ(training.count(), 1u);
  EXPECT_GT(rate, 0.97 * 1e9 / 250);
}

TEST(StepThreads, FindTheBestOfMany) {
  for (const std::size_t best : {1, 2, 4, 16, 64}) {
    // Dividing the rows helps up to `best`, after that threads are in each other's way.
    const Pace pace = [&](std::size_t threads) {
      const double ratio = static_cast<double>(threads) / static_cast<double>(best);
      return 100 * std::max(1 / ratio, ratio);
    };
    FakeTraining training(64, true);
    training.run(2, pace);
    const double rate = training.run(2, pace);
    EXPECT_GT(rate, 0.95 * 1e9 / 100) << best;
  }
}

TEST(StepThreads, FollowAMachineThatChanges) {
  const Pace apart = [](std::size_t threads) { return threads == 1 ? 250.0 : 400.0; };
  const Pace together = [](std::size_t threads) { return threads == 1 ? 250.0 : 170.0; };
  FakeTraining training(2, true);
  training.run(5, apart);
  EXPECT_EQ(training.count(), 1u);
  training.run(3, together);
  EXPECT_EQ(training.count(), 2u);
  training.run(3, apart);
  EXPECT_EQ(training.count(), 1u);
}

TEST(StepThreads, AreNotMisledByNoise) {
  std::mt19937 random(1);
  const Pace pace = [&](std::size_t threads) {
    const double hiccup = random() % 50 == 0 ? 20 : 1;
    return hiccup * (1 + static_cast<double>(random() % 100) / 500) * 800 / static_cast<double>(threads);
  };
  FakeTraining training(4, true);
  training.run(20, pace);
  EXPECT_GT(training.threads().mean(), 3.7);
}

TEST(StepThreads, KnowNoNumberBetweenTwoOfThem) {
  FakeTraining training(3, true);
  training.run(1, [](std::size_t threads) { return threads == 1 ? 100.0 : 200.0; });
  EXPECT_EQ(training.count(), 1u);
  training.run(5, divided_by_threads(300));
  EXPECT_EQ(training.count(), 3u);
}

TEST(StepThreads, MayBeLongerThanATrial) {
  FakeTraining training(2, true);
  const double rate = training.run(
      1000, [](std::size_t threads) { return threads == 1 ? 3e5 : 2e5; }, 16384);
  EXPECT_GT(rate, 0.97 * 1e9 / 2e5);
}

TEST(StepThreads, AreKeptWhereNothingMayBeTried) {
  for (const auto& [most, tries] : {std::pair{std::size_t{1}, true}, std::pair{std::size_t{4}, false}}) {
    FakeTraining training(most, tries);
    training.run(1, [](std::size_t threads) { return 100.0 * static_cast<double>(threads); });
    EXPECT_EQ(training.count(), most);
    EXPECT_EQ(training.threads().mean(), static_cast<double>(most));
  }
  EXPECT_EQ(StepThreads(5, true).mean(), 5);
}

TEST(StepThreads, IgnoreStepsWithoutRows) {
  StepThreads threads(2, true);
  threads.begin();
  for (int step = 0; step < 100; ++step) threads.end_step(0, StepThreads::Time(std::chrono::seconds(step)));
  EXPECT_FALSE(threads.is_to_change());
  EXPECT_EQ(threads.mean(), 2);
}

class TrainThreads : public TrainTest {};

TEST_F(TrainThreads, ThatAreTriedChangeNoBit) {
  const std::string rows = data("rows", 40000, 1);
  const auto model_of = [&](std::size_t threads, double& mean) {
    TrainOptions options = quick_training(rows, file("m"));
    options.epochs = 3;
    with_threads(threads, [&] { mean = train(options).mean_threads; });
    return read_text_file(file("m"));
  };
  double mean = 0;
  const std::string model = model_of(1, mean);
  EXPECT_EQ(mean, 1);
  EXPECT_EQ(model_of(4, mean) == model, true);
  EXPECT_LT(mean, 4) << "this training is too short to try fewer threads";
  EXPECT_GE(mean, 1);
}

}  // namespace
}  // namespace widehash::test
