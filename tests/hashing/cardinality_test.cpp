#include <widehash/cardinality.hpp>
#include <widehash/code.hpp>
#include <widehash/error.hpp>

#include <cmath>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace widehash {
namespace {

std::uint64_t hash_of(std::uint64_t value) { return hash_xxh64(std::to_string(value)); }

TEST(HyperLogLog, EmptyEstimatesZero) { EXPECT_EQ(HyperLogLog().estimate(), 0); }

TEST(HyperLogLog, SmallCountsAreNearlyExact) {
  for (const std::uint64_t n : {1, 2, 10, 31, 32, 33, 100}) {
    HyperLogLog sketch;
    for (std::uint64_t i = 0; i < n; ++i) sketch.add(hash_of(i));
    EXPECT_NEAR(sketch.estimate(), static_cast<double>(n), 0.6 + 0.02 * static_cast<double>(n));
  }
}

TEST(HyperLogLog, ErrorStaysWithinFourStandardErrors) {
  for (const int precision : {8, 11, 14, 18}) {
    HyperLogLog sketch(precision);
    const double tolerance = 4 * sketch.standard_error();
    std::uint64_t added = 0;
    // The sizes cover linear counting, the change of regime at a few times the number of registers, and far beyond.
    for (const std::uint64_t n : {500u, 5000u, 20000u, 41000u, 60000u, 100000u, 400000u, 1000000u}) {
      for (; added < n; ++added) sketch.add(hash_of(added));
      EXPECT_NEAR(sketch.estimate() / static_cast<double>(n), 1, tolerance)
          << "precision " << precision << ", n " << n;
    }
  }
}

TEST(HyperLogLog, EstimateIsUnbiasedOverManyStreams) {
  // The mean of 200 estimates has a fourteenth of the spread of one estimate, so that a bias of half a
  // standard error would show.
  std::mt19937_64 random(3);
  for (const int n : {300, 700, 2000, 10000}) {
    double sum = 0;
    const int trials = 200;
    HyperLogLog shape(8);
    for (int trial = 0; trial < trials; ++trial) {
      HyperLogLog sketch(8);
      for (int i = 0; i < n; ++i) sketch.add(random());
      sum += sketch.estimate() / n;
    }
    EXPECT_NEAR(sum / trials, 1, 4.5 * shape.standard_error() / std::sqrt(trials)) << n;
  }
}

TEST(HyperLogLog, DuplicatesDoNotMatter) {
  HyperLogLog once;
  HyperLogLog often;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    once.add(hash_of(i));
    for (int repeat = 0; repeat < 5; ++repeat) often.add(hash_of(i));
  }
  EXPECT_EQ(once.estimate(), often.estimate());
}

TEST(HyperLogLog, MergeEqualsTheUnion) {
  HyperLogLog left;
  HyperLogLog right;
  HyperLogLog both;
  for (std::uint64_t i = 0; i < 30000; ++i) {
    if (i < 20000) left.add(hash_of(i));
    if (i >= 10000) right.add(hash_of(i));
    both.add(hash_of(i));
  }
  left.merge(right);
  EXPECT_EQ(left.estimate(), both.estimate());
}

TEST(HyperLogLog, ExtremeHashesAreCounted) {
  HyperLogLog sketch(4);
  sketch.add(0);
  sketch.add(~std::uint64_t{0});
  EXPECT_GT(sketch.estimate(), 1);
}

TEST(HyperLogLog, RefusesWhatDoesNotFit) {
  EXPECT_THROW(HyperLogLog(3), ConfigError);
  EXPECT_THROW(HyperLogLog(19), ConfigError);
  HyperLogLog small(10);
  EXPECT_THROW(small.merge(HyperLogLog(11)), ShapeError);
}

}  // namespace
}  // namespace widehash
