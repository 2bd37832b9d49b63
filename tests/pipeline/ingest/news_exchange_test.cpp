#include "ingest/news_exchange.hpp"

#include <widehash/device_team.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/shared_text.hpp>
#include <widehash/threads.hpp>

#include <chrono>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using testing::HasSubstr;

std::vector<Device> devices(std::size_t count) { return std::vector<Device>(count); }

RunNews news_of(std::uint64_t block, std::size_t input) {
  RunNews news;
  news.blocks.emplace_back();
  news.blocks.back().block = block;
  news.blocks.back().counts.input = input;
  return news;
}

TEST(NewsExchange, EveryReportIsTakenOnceByRankZero) {
  for (const std::size_t ranks : {1, 2, 3, 5}) {
    DeviceTeam team(devices(ranks));
    std::vector<std::uint64_t> next(ranks, 0);
    team.run([&](Communicator& communicator) {
      const auto rank = static_cast<std::size_t>(communicator.rank());
      exchange_news(
          communicator, nullptr,
          [&](const NewsCallback& tell, const StopFlag*) {
            // The last rank has no news; the others have much at once, with an occasional pause.
            for (std::uint64_t i = 0; i < 100 * (ranks - rank - (ranks > 1 ? 1 : 0)); ++i) {
              if (i % 90 == 7) std::this_thread::sleep_for(std::chrono::milliseconds(20 * rank));
              tell(news_of(i, rank));
            }
          },
          [&](const RunNews& news) {
            EXPECT_EQ(communicator.rank(), 0);
            for (const BlockReport& block : news.blocks)
              EXPECT_EQ(next.at(block.counts.input)++, block.block);
          });
    });
    for (std::size_t rank = 0; rank < ranks; ++rank)
      EXPECT_EQ(next[rank], 100 * (ranks - rank - (ranks > 1 ? 1 : 0)));
  }
}

TEST(NewsExchange, WhoFailsEndsTheOthersWithItsReason) {
  // The failure is in the work of a rank, or in what rank 0 does with the news.
  for (const bool in_work : {true, false}) {
    DeviceTeam team(devices(3));
    try {
      team.run([&](Communicator& communicator) {
        exchange_news(
            communicator, nullptr,
            [&](const NewsCallback& tell, const StopFlag*) {
              for (std::uint64_t i = 0;; ++i) {
                if (in_work && communicator.rank() == 1 && i == 20)
                  throw FileError("disk", "cannot write", 28);
                tell(news_of(i, 0));
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
              }
            },
            [&](const RunNews&) {
              if (!in_work) throw FileError("journal", "cannot write", 28);
            });
      });
      FAIL() << "nothing was thrown";
    } catch (const FileError& error) {
      EXPECT_THAT(error.what(), HasSubstr(in_work ? "disk" : "journal"));
    }
  }
}

TEST(NewsExchange, WorkHasTheThreadsOfItsCaller) {
  with_threads(6, [] {
    DeviceTeam team(devices(2));
    team.run([](Communicator& communicator) {
      const std::size_t own = current_threads();
      EXPECT_EQ(own, 3u);
      exchange_news(
          communicator, nullptr,
          [&](const NewsCallback&, const StopFlag*) { EXPECT_EQ(current_threads(), own); },
          [](const RunNews&) {});
    });
  });
}

TEST(NewsExchange, AStopOfOneRankEndsTheWorkOfAll) {
  DeviceTeam team(devices(3));
  StopFlag stop = false;
  team.run([&](Communicator& communicator) {
    const bool is_asked = communicator.rank() == 1;
    exchange_news(
        communicator, is_asked ? &stop : nullptr,
        [&](const NewsCallback& tell, const StopFlag* stop_all) {
          for (std::uint64_t i = 0; !*stop_all; ++i) {
            tell(news_of(i, 0));
            if (is_asked && i == 20) stop = true;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }
        },
        [](const RunNews&) {});
  });
}

TEST(SharedText, RanksAgreeOrAllSayWhoDiffers) {
  DeviceTeam team(devices(3));
  team.run([](Communicator& communicator) {
    std::string text = communicator.rank() == 0 ? std::string(100000, 'x') : "other";
    share_text(communicator, text);
    EXPECT_EQ(text, std::string(100000, 'x'));
    require_same(communicator, text, "the texts");
    const auto all =
        gather_texts(communicator, std::string(static_cast<std::size_t>(communicator.rank()), 'y'));
    EXPECT_EQ(all, communicator.rank() == 0 ? (std::vector<std::string>{"", "y", "yy"})
                                            : std::vector<std::string>{});
    try {
      require_same(communicator, communicator.rank() == 2 ? "a" : "b", "the letters");
      ADD_FAILURE() << "nothing was thrown";
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("rank 2"), HasSubstr("the letters")));
    }
  });
}

}  // namespace
}  // namespace widehash
