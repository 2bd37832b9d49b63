#include <widehash/activity.hpp>

#include <chrono>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace widehash {
namespace {

using namespace std::chrono_literals;

TEST(ActivityClock, ScopesNestAndSharesAddUp) {
  ActivityClock clock;
  clock.start(true);
  {
    const ActivityScope compute(clock, Activity::compute);
    std::this_thread::sleep_for(20ms);
    {
      const ActivityScope communicate(clock, Activity::communicate);
      std::this_thread::sleep_for(10ms);
    }
    std::this_thread::sleep_for(5ms);
  }
  clock.stop();
  EXPECT_GE(clock.seconds(Activity::compute), 0.025);
  EXPECT_GE(clock.seconds(Activity::communicate), 0.010);
  EXPECT_EQ(clock.seconds(Activity::wait), 0);
  double total = 0;
  std::int64_t end = 0;
  for (const ActivitySpan& span : clock.spans()) {
    EXPECT_EQ(span.begin_ns, end);
    end = span.end_ns;
    total += static_cast<double>(span.end_ns - span.begin_ns) * 1e-9;
  }
  EXPECT_NEAR(total, clock.total_seconds(), 1e-6);
  clock.start(false);
  EXPECT_EQ(clock.total_seconds(), 0);
  EXPECT_TRUE(clock.spans().empty());
}

TEST(ActivityClock, SpansThatFollowEachOtherAreOne) {
  ActivityClock clock;
  clock.start(true);
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(1ms);
    clock.stop();
  }
  EXPECT_EQ(clock.spans().size(), 1u);
}

TEST(TraceJson, HasATrackADeviceAndAnEventASpan) {
  const auto trace = nlohmann::json::parse(
      trace_json({{0, "rank 0, cpu", {{Activity::read, 0, 1500}, {Activity::wait, 1500, 4000}}},
                  {1, "rank \"1\"", {}}}));
  const auto& events = trace.at("traceEvents");
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[0].at("ph"), "M");
  EXPECT_EQ(events[0].at("args").at("name"), "rank 0, cpu");
  EXPECT_EQ(events[2].at("name"), "wait");
  EXPECT_EQ(events[2].at("ts"), 1.5);
  EXPECT_EQ(events[2].at("dur"), 2.5);
  EXPECT_EQ(events[3].at("args").at("name"), "rank \"1\"");
}

TEST(TraceJson, CollectivesOfAGpuHaveATrackOfTheirOwnWithTheirBytes) {
  const auto trace = nlohmann::json::parse(
      trace_json({{0, "rank 0, cuda:0", {{Activity::compute, 0, 1500}}, {{500, 2500, 77}}},
                  {1, "rank 1, cuda:1", {}, {}}}));
  const auto& events = trace.at("traceEvents");
  ASSERT_EQ(events.size(), 5u);
  EXPECT_EQ(events[2].at("args").at("name"), "rank 0, cuda:0, between GPUs");
  EXPECT_EQ(events[2].at("tid"), 2);  // not that of a rank
  EXPECT_EQ(events[3].at("tid"), 2);
  EXPECT_EQ(events[3].at("name"), "collective");
  EXPECT_EQ(events[3].at("ts"), 0.5);
  EXPECT_EQ(events[3].at("dur"), 2.0);
  EXPECT_EQ(events[3].at("args").at("bytes_sent"), 77);
}

}  // namespace
}  // namespace widehash
