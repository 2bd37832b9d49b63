// Collectives of NCCL when GPUs are reported to be on several hosts.

#include "cuda/on_device.hpp"
#include "nccl_link.hpp"
#include "parallel/sum_by_pairs.hpp"
#include "simulator.hpp"

#include <widehash/device_team.hpp>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace widehash::cuda {
namespace {

// Just below and from the size on at which collectives go host by host, and with parts of unequal size.
constexpr std::size_t threshold = (std::size_t{1} << 20) / sizeof(float);
constexpr std::size_t counts[] = {threshold - 1, threshold, threshold + 77};

std::vector<float> values_of(std::size_t rank, std::size_t count) {
  std::mt19937_64 random(rank + 1);
  std::vector<float> values(count);
  for (float& value : values)
    value = std::ldexp(static_cast<float>(random() % 1000) - 500, static_cast<int>(random() % 20)) / 3;
  return values;
}

/// Calls work(link, rank, context) for one rank per letter. The letter names its host, and each rank has a
/// GPU of its own.
template <class Work>
void for_ranks(const std::string& letters, const Work& work) {
  simulator::Settings settings = simulator::settings_from_environment();
  settings.num_devices = static_cast<int>(letters.size());
  simulator::configure(settings);
  std::vector<std::string> hosts;
  std::vector<Device> devices;
  for (const char letter : letters) {
    hosts.emplace_back(1, letter);
    devices.push_back({DeviceKind::cuda, static_cast<int>(devices.size())});
  }
  const detail::HostLayout layout(hosts);
  TeamSettings team_settings;
  team_settings.timeout_seconds = 60;
  DeviceTeam team(devices, team_settings);
  team.run([&](Communicator& communicator) {
    const DeviceContext context(communicator.device().index);
    const auto link = detail::make_nccl_link(communicator, layout, context, detail::SumOrder::ranks);
    ASSERT_NE(link, nullptr);
    work(*link, static_cast<std::size_t>(communicator.rank()), context);
    context.stream().synchronize();
    // No rank may end the link while others receive from it.
    communicator.barrier();
  });
}

DeviceSpan<float> span_of(const DeviceBuffer<float>& buffer, const DeviceContext& context) {
  return {buffer.data(), buffer.size(), &context};
}

TEST(NcclHosts, SumsHaveTheBitsOfOneHost) {
  for (const std::string letters : {"aabb", "aabbcc", "aaaabbbb", "abab"}) {
    for (const std::size_t count : counts) {
      const auto expected =
          sums_by_pairs<float>(letters.size(), count, [count](std::size_t r) { return values_of(r, count); });
      for_ranks(letters, [&](detail::NcclLink& link, std::size_t rank, const DeviceContext& context) {
        const auto values = on_device(context, values_of(rank, count));
        link.all_reduce(span_of(values, context));
        EXPECT_EQ(on_host(context, values), expected) << letters << ' ' << count;
      });
    }
  }
}

TEST(NcclHosts, PartsAreThoseOfOneHost) {
  constexpr std::size_t count = threshold + 77;
  // Uneven parts, some of them empty.
  const std::vector<std::size_t> offsets{
      0, 0, 5, threshold / 2, threshold / 2, threshold / 2 + 1, threshold, count, count};
  const auto sums = sums_by_pairs<float>(8, count, [](std::size_t r) { return values_of(r, count); });
  for (const std::string letters : {"aabbccdd", "aaaabbbb", "aaabbbbb"}) {
    for_ranks(letters, [&](detail::NcclLink& link, std::size_t rank, const DeviceContext& context) {
      const auto values = on_device(context, values_of(rank, count));
      const DeviceBuffer<float> own(context, offsets[rank + 1] - offsets[rank], "part");
      const DeviceBuffer<float> whole(context, count, "whole");
      link.reduce_scatter(span_of(values, context), offsets, span_of(own, context));
      link.all_gather(span_of(own, context), offsets, span_of(whole, context));
      EXPECT_EQ(on_host(context, whole), sums) << letters;
      EXPECT_EQ(on_host(context, values), values_of(rank, count));
    });
  }
}

TEST(NcclHosts, ManyNumbersCrossBetweenHostsOnceAHost) {
  constexpr std::size_t count = threshold * 3;  // a multiple of every world size
  constexpr std::size_t bytes = count * sizeof(float);
  struct Case {
    std::string letters;
    std::size_t crossings;  // of a rank's part, in each direction
  };
  for (const Case& that : {Case{"aabb", 1}, Case{"aabbcc", 2}, Case{"aaaabbbb", 1}, Case{"abab", 2}}) {
    for_ranks(that.letters, [&](detail::NcclLink& link, std::size_t, const DeviceContext& context) {
      const auto values = on_device(context, std::vector<float>(count));
      link.all_reduce(span_of(values, context));
      const std::size_t world = that.letters.size();
      EXPECT_EQ(link.bytes_sent(), 2 * (world - 1) * bytes / world);
      EXPECT_EQ(link.bytes_sent_to_other_hosts(), 2 * that.crossings * bytes / world) << that.letters;
    });
  }
}

}  // namespace
}  // namespace widehash::cuda
