#include "sum_by_pairs.hpp"

#include <widehash/device_team.hpp>
#include <widehash/error.hpp>

#include <atomic>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

constexpr std::size_t worlds[] = {1, 2, 3, 4, 5, 7};
// Sizes around those that take one step and two, and around the blocks of the sums.
constexpr std::size_t sizes[] = {0, 1, 2, 5, 31, 512, 513, 1023, 1025, 5000, 70001};

template <class Real>
std::vector<Real> numbers(std::size_t count, std::size_t rank) {
  std::mt19937_64 random(1000 * count + rank);
  std::vector<Real> values(count);
  // Values of very different sizes, so that another order of additions gives other bits.
  for (Real& value : values) {
    value = static_cast<Real>(
        std::ldexp(static_cast<double>(random() % 1000) - 500, static_cast<int>(random() % 20)));
    value /= 3;
  }
  return values;
}

template <class Real>
std::vector<Real> sums_of_ranks(std::size_t world, std::size_t count) {
  return sums_by_pairs<Real>(world, count, [count](std::size_t rank) { return numbers<Real>(count, rank); });
}

/// Cuts that leave some parts empty.
std::vector<std::size_t> uneven_offsets(std::size_t count, std::size_t parts) {
  std::vector<std::size_t> offsets{0};
  for (std::size_t p = 1; p < parts; ++p) offsets.push_back(p % 2 == 0 ? offsets.back() : count * p / parts);
  offsets.push_back(count);
  return offsets;
}

/// Devices of one thread each, so that the thread sanitizer sees no threads but ours.
class Team : public DeviceTeam {
 public:
  explicit Team(std::size_t devices) : DeviceTeam(std::vector<Device>(devices), {.threads = devices}) {}
};

template <class Body>
void for_worlds(const Body& body) {
  for (const std::size_t world : worlds) {
    Team team(world);
    for (const std::size_t size : sizes)
      team.run([&](Communicator& c) { body(c, world, size, static_cast<std::size_t>(c.rank())); });
  }
}

template <class Real>
class Reductions : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Reductions, Reals);

TYPED_TEST(Reductions, AllReduceAddsPairsOfRanks) {
  for_worlds([](Communicator& c, std::size_t world, std::size_t size, std::size_t rank) {
    auto values = numbers<TypeParam>(size, rank);
    c.all_reduce(std::span<TypeParam>(values));
    EXPECT_EQ(values, sums_of_ranks<TypeParam>(world, size));
    values.assign(size, 1);  // at once: no rank may still be reading them
  });
}

TYPED_TEST(Reductions, ReduceScatterGivesEachItsPart) {
  for_worlds([](Communicator& c, std::size_t world, std::size_t size, std::size_t rank) {
    for (const auto& offsets : {even_offsets(size, world), uneven_offsets(size, world)}) {
      const auto values = numbers<TypeParam>(size, rank);
      std::vector<TypeParam> own(offsets[rank + 1] - offsets[rank]);
      c.reduce_scatter(std::span<const TypeParam>(values), offsets, std::span<TypeParam>(own));
      const auto sum = sums_of_ranks<TypeParam>(world, size);
      EXPECT_TRUE(
          std::equal(own.begin(), own.end(), sum.begin() + static_cast<std::ptrdiff_t>(offsets[rank])));
      EXPECT_EQ(values, numbers<TypeParam>(size, rank));
    }
  });
}

TEST(Collectives, AllGatherPutsPartsInOrder) {
  for_worlds([](Communicator& c, std::size_t world, std::size_t size, std::size_t rank) {
    const auto all = numbers<float>(size, 77);
    for (const auto& offsets : {even_offsets(size, world), uneven_offsets(size, world)}) {
      const std::span<const float> own =
          std::span(all).subspan(offsets[rank], offsets[rank + 1] - offsets[rank]);
      std::vector<float> whole(size);
      c.all_gather<float>(own, offsets, whole);
      EXPECT_EQ(whole, all);
      std::vector<float> in_place(size);
      const auto place = std::span(in_place).subspan(offsets[rank], own.size());
      std::copy(own.begin(), own.end(), place.begin());
      c.all_gather<float>(place, offsets, in_place);
      EXPECT_EQ(in_place, all);
    }
  });
}

TEST(Collectives, GatherIsForTheRootAlone) {
  for_worlds([](Communicator& c, std::size_t world, std::size_t size, std::size_t rank) {
    const auto all = numbers<double>(size, 77);
    const auto offsets = uneven_offsets(size, world);
    const int root = static_cast<int>(world) - 1;
    std::vector<double> whole(c.rank() == root ? size : 0);
    c.gather<double>(std::span(all).subspan(offsets[rank], offsets[rank + 1] - offsets[rank]), offsets, root,
                     whole);
    EXPECT_EQ(whole, c.rank() == root ? all : std::vector<double>());
  });
}

TEST(Collectives, BroadcastComesFromEveryRoot) {
  for_worlds([](Communicator& c, std::size_t world, std::size_t size, std::size_t rank) {
    for (std::size_t root = 0; root < world; ++root) {
      auto values = numbers<float>(size, rank);
      c.broadcast(std::span<float>(values), static_cast<int>(root));
      EXPECT_EQ(values, numbers<float>(size, root));
      values.assign(size, 0);
    }
  });
}

TEST(Collectives, AllToAllCrossesOver) {
  for_worlds([](Communicator& c, std::size_t world, std::size_t size, std::size_t rank) {
    // Rank a sends rank b (a + b) % 3 * size / 3 bytes of the value 10 a + b.
    const auto length = [&](std::size_t a, std::size_t b) { return (a + b) % 3 * size / 3; };
    std::vector<std::vector<std::byte>> gives(world);
    std::vector<std::vector<std::byte>> gets(world);
    std::vector<std::span<const std::byte>> to(world);
    std::vector<std::span<std::byte>> from(world);
    for (std::size_t other = 0; other < world; ++other) {
      gives[other].assign(length(rank, other), static_cast<std::byte>(10 * rank + other));
      gets[other].resize(length(other, rank));
      to[other] = gives[other];
      from[other] = gets[other];
    }
    c.all_to_all_bytes(to, from);
    for (std::size_t other = 0; other < world; ++other) {
      EXPECT_EQ(gets[other],
                std::vector<std::byte>(length(other, rank), static_cast<std::byte>(10 * other + rank)));
    }
  });
}

TEST(Collectives, NobodyLeavesABarrierBeforeEverybodyCame) {
  Team team(4);
  std::atomic<int> came{0};
  team.run([&](Communicator& c) {
    for (int round = 1; round <= 200; ++round) {
      ++came;
      c.barrier();
      EXPECT_GE(came.load(), 4 * round);
      c.barrier();
    }
  });
}

TEST(Collectives, BytesSentAreThoseOfTheHeaders) {
  constexpr std::size_t n = 6000;
  for (const std::size_t world : {2, 3, 4}) {
    Team team(world);
    team.run([&](Communicator& c) {
      std::uint64_t before = 0;
      const auto sent = [&] { return c.bytes_sent() - std::exchange(before, c.bytes_sent()); };
      const std::uint64_t bytes = n * sizeof(float);
      std::vector<float> values(n);
      std::vector<float> part(n / world);
      const auto offsets = even_offsets(n, world);
      c.all_reduce(std::span<float>(values));
      EXPECT_EQ(sent(), 2 * (world - 1) * bytes / world);
      c.reduce_scatter(std::span<const float>(values), offsets, std::span<float>(part));
      EXPECT_EQ(sent(), (world - 1) * bytes / world);
      c.all_gather<float>(part, offsets, values);
      EXPECT_EQ(sent(), (world - 1) * bytes / world);
      c.gather<float>(part, offsets, 0, values);
      EXPECT_EQ(sent(), c.rank() == 0 ? 0 : bytes / world);
      c.broadcast(std::span<float>(values), 0);
      EXPECT_EQ(sent(), (c.rank() == 0 ? 2 : 1) * (world - 1) * bytes / world);
      c.barrier();
      EXPECT_EQ(sent(), world - 1);
      std::vector<float> few(100);
      c.all_reduce(std::span<float>(few));
      EXPECT_EQ(sent(), (world - 1) * few.size() * sizeof(float));
    });
  }
}

TEST(Collectives, RanksThatDisagreeAreReported) {
  Team team(2);
  EXPECT_THROW(team.run([](Communicator& c) {
    std::vector<float> values(c.rank() == 0 ? 10 : 11);
    c.all_reduce(std::span<float>(values));
  }),
               CommError);
}

TEST(Collectives, OffsetsThatDoNotFitAreRefused) {
  Team team(2);
  EXPECT_THROW(team.run([](Communicator& c) {
    std::vector<float> values(10);
    std::vector<float> own(5);
    c.reduce_scatter(std::span<const float>(values), std::vector<std::size_t>{0, 5}, std::span<float>(own));
  }),
               CommError);
}

TEST(Collectives, RootsThatAreNoRanksAreRefused) {
  for (const int root : {-1, 2, 5}) {
    Team team(2);
    EXPECT_THROW(team.run([&](Communicator& c) {
      std::vector<float> values(10);
      c.broadcast(std::span<float>(values), root);
    }),
                 CommError);
    Team another(2);
    EXPECT_THROW(another.run([&](Communicator& c) {
      std::vector<float> whole(2);
      const float own = 1;
      c.gather(std::span(&own, 1), std::vector<std::size_t>{0, 1, 2}, root, std::span<float>(whole));
    }),
                 CommError);
  }
  Team team(2);
  EXPECT_THROW(team.run([&](Communicator& c) {
    c.gather(std::span<const float>(), std::vector<std::size_t>{}, 0, std::span<float>());
  }),
               CommError);
}

TEST(EvenOffsets, PartsDifferByOneAtMost) {
  EXPECT_EQ(even_offsets(10, 3), (std::vector<std::size_t>{0, 4, 7, 10}));
  EXPECT_EQ(even_offsets(2, 4), (std::vector<std::size_t>{0, 1, 2, 2, 2}));
  EXPECT_EQ(even_offsets(0, 2), (std::vector<std::size_t>{0, 0, 0}));
}

}  // namespace
}  // namespace widehash
