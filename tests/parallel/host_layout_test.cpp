#include "host_layout.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace widehash::detail {
namespace {

/// One letter per rank: the host that it is on.
HostLayout layout_of(const std::string& letters) {
  std::vector<std::string> hosts;
  for (const char letter : letters) hosts.emplace_back(1, letter);
  return HostLayout(hosts);
}

TEST(HostLayout, IsEvenWhereHostsFollowOneAnotherWithTheSamePowerOfTwo) {
  for (const char* letters : {"aabb", "bbaa", "aabbcc", "aaaabbbb", "aaaabbbbcccc", "aaaaaaaabbbbbbbb"})
    EXPECT_TRUE(layout_of(letters).is_even()) << letters;
}

TEST(HostLayout, IsNotEvenOtherwise) {
  for (const char* letters : {"", "a", "ab", "aa", "aaaa", "abab", "abba", "aab", "aabbb", "aaab", "aabbc",
                              "aabbaa", "aaabbb", "aaaaaabbbbbb", "abcd"})
    EXPECT_FALSE(layout_of(letters).is_even()) << letters;
  EXPECT_FALSE(HostLayout().is_even());
  EXPECT_TRUE(HostLayout().are_neighbours(0, 3));
}

TEST(HostLayout, NeighboursShareAHost) {
  const HostLayout layout = layout_of("abacb");
  EXPECT_TRUE(layout.are_neighbours(0, 2));
  EXPECT_TRUE(layout.are_neighbours(4, 1));
  EXPECT_TRUE(layout.are_neighbours(3, 3));
  EXPECT_FALSE(layout.are_neighbours(0, 1));
  EXPECT_FALSE(layout.are_neighbours(3, 2));
}

TEST(HostLayout, RanksHaveAHostAndAPlaceThere) {
  const HostLayout layout = layout_of("aaaabbbbcccc");
  EXPECT_EQ(layout.num_hosts(), 3U);
  EXPECT_EQ(layout.ranks_per_host(), 4U);
  for (std::size_t rank = 0; rank < 12; ++rank) {
    EXPECT_EQ(layout.host_of(rank), rank / 4);
    EXPECT_EQ(layout.place_of(rank), rank % 4);
    EXPECT_EQ(layout.rank_at(rank / 4, rank % 4), rank);
  }
}

}  // namespace
}  // namespace widehash::detail
