#include "ingest/block_pipeline.hpp"

#include "io/compress.hpp"
#include "pipeline/click_table.hpp"
#include "pipeline/pipeline_kit.hpp"

#include <widehash/internal/block_text.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace widehash::test {
namespace {

using Named = std::pair<std::size_t, std::uint64_t>;  // input, block
using Work = std::function<void(InputBlock&)>;

struct Outcome {
  std::vector<Named> told;  // in the order of the calls
  std::vector<InputEnd> ends;
  std::string problem;  // the text of the exception
};

class BlockPipeline : public testing::Test {
 protected:
  void write(const std::string& text) {
    paths_.push_back(folder_.file(std::to_string(paths_.size())));
    write_text_file(paths_.back(), text);
  }

  Outcome run(const BlockLimits& limits, std::size_t threads, const Work& work,
              const StopFlag* stop = nullptr, const std::function<void()>& on_tell = {}) {
    Outcome outcome;
    const RowRules rules(schema_);
    const std::vector<Input> inputs = expand_inputs(paths_);
    const RunInputs run{
        .schema = schema_, .rules = rules, .inputs = inputs, .block_bytes = 200, .stop = stop};
    std::atomic<int> telling{0};
    const BlocksCallback tell = [&](const BlockResults& results, const std::vector<InputEnd>& ends) {
      EXPECT_EQ(telling++, 0);
      for (const auto& result : results) outcome.told.push_back(*std::static_pointer_cast<Named>(result));
      outcome.ends.insert(outcome.ends.end(), ends.begin(), ends.end());
      if (on_tell) on_tell();
      --telling;
    };
    const BlockWork made = [&](InputBlock& block) -> std::shared_ptr<void> {
      work(block);
      return std::make_shared<Named>(block.input, block.block.index);
    };
    with_threads(threads, [&] {
      try {
        for_each_block(run, limits, made, tell);
      } catch (const std::exception& problem) {
        outcome.problem = problem.what();
      }
    });
    return outcome;
  }

  /// Every block, in order.
  std::vector<Named> all_blocks() {
    return run(all_limits, 1, [](InputBlock&) {}).told;
  }

  static constexpr BlockLimits all_limits{.in_flight = 100, .in_memory = 100};

  Schema schema_ = parse_schema(click_schema, "schema.toml");
  TempFolder folder_;
  std::vector<std::string> paths_;
};

TEST_F(BlockPipeline, EveryBlockAndEveryEndIsReportedOnce) {
  write(click_text(40, 1));
  write(gzip(click_header));
  write(gzip(click_text(33, 2)));
  write(zstd(click_text(1, 3)));
  const std::vector<Named> all = all_blocks();
  ASSERT_TRUE(std::ranges::is_sorted(all));
  for (const std::size_t threads : {1, 2, 5}) {
    std::mutex mutex;
    std::vector<Named> worked;
    Outcome outcome = run(all_limits, threads, [&](InputBlock& block) {
      load_text(block.block);
      const std::lock_guard lock(mutex);
      worked.emplace_back(block.input, block.block.index);
    });
    std::ranges::sort(worked);
    std::ranges::sort(outcome.told);
    EXPECT_EQ(worked, all);
    EXPECT_EQ(outcome.told, all);
    ASSERT_EQ(outcome.ends.size(), paths_.size());
    for (const InputEnd& end : outcome.ends) {
      EXPECT_EQ(end.num_blocks, static_cast<std::uint64_t>(std::ranges::count(
                                    all, end.input, [](const Named& name) { return name.first; })));
    }
  }
}

// Each of these blocks ends only after the others have begun.
TEST_F(BlockPipeline, AsManyInputsAreReadAtATimeAsThereAreThreads) {
  for (int input = 0; input < 3; ++input) write(gzip(click_text(4, 1)));
  std::mutex mutex;
  std::condition_variable changed;
  std::set<std::size_t> begun;
  const Outcome outcome = run(all_limits, 3, [&](InputBlock& block) {
    std::unique_lock lock(mutex);
    begun.insert(block.input);
    changed.notify_all();
    EXPECT_TRUE(changed.wait_for(lock, std::chrono::minutes(1), [&] { return begun.size() == 3; }));
  });
  EXPECT_EQ(outcome.told.size(), 3u);
}

// This also holds while results wait.
TEST_F(BlockPipeline, OneInputKeepsAllThreadsBusy) {
  write(gzip(click_text(60, 1)));
  for (const std::uint64_t waits : {std::uint64_t{0}, most_waiting_bytes}) {
    const std::atomic<std::uint64_t> waiting{waits};
    BlockLimits limits = all_limits;
    limits.waiting_bytes = &waiting;
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t at_work = 0;
    bool were_three = false;
    run(limits, 3, [&](InputBlock&) {
      std::unique_lock lock(mutex);
      were_three = ++at_work == 3 || were_three;
      changed.notify_all();
      EXPECT_TRUE(changed.wait_for(lock, std::chrono::minutes(1), [&] { return were_three; }));
      --at_work;
    });
    EXPECT_TRUE(were_three);
  }
}

TEST_F(BlockPipeline, LimitsHold) {
  for (int input = 0; input < 6; ++input) {
    const std::string text = click_text(30, 1);
    write(input % 2 == 0 ? gzip(text) : text);
  }
  for (const auto& [in_flight, in_memory] : {std::pair(1, 1), std::pair(3, 1), std::pair(3, 2)}) {
    std::atomic<int> at_work{0};
    std::atomic<int> with_text{0};
    run({.in_flight = static_cast<std::size_t>(in_flight), .in_memory = static_cast<std::size_t>(in_memory)},
        8, [&](InputBlock& block) {
          const int text = block.block.range.file == nullptr ? 1 : 0;
          EXPECT_LE(++at_work, in_flight);
          EXPECT_LE(with_text += text, in_memory);
          std::this_thread::sleep_for(std::chrono::microseconds(50));
          with_text -= text;
          --at_work;
        });
  }
}

// All results wait behind one slow block.
TEST_F(BlockPipeline, WhereTooManyResultsWaitBlocksAreBegunOneAtATimeInOrder) {
  for (int input = 0; input < 4; ++input) write(gzip(click_text(20, 1)));
  const std::atomic<std::uint64_t> waiting{most_behind_one_block};
  BlockLimits limits = all_limits;
  limits.waiting_bytes = &waiting;
  std::atomic<int> at_work{0};
  std::vector<Named> begun;
  run(limits, 4, [&](InputBlock& block) {
    EXPECT_EQ(++at_work, 1);
    begun.emplace_back(block.input, block.block.index);
    --at_work;
  });
  EXPECT_EQ(begun, all_blocks());
}

TEST_F(BlockPipeline, StopEndsItBehindTheBlocksThatAreBegun) {
  for (int input = 0; input < 4; ++input) write(click_text(20, 1));
  StopFlag stop = true;
  EXPECT_TRUE(run(
                  all_limits, 2, [](InputBlock&) {}, &stop)
                  .told.empty());
  stop = false;
  std::atomic<int> worked{0};
  const Outcome outcome = run(
      all_limits, 2,
      [&](InputBlock&) {
        ++worked;
        stop = true;
      },
      &stop);
  EXPECT_EQ(outcome.told.size(), static_cast<std::size_t>(worked));
  EXPECT_LE(worked, 2);
  EXPECT_LT(outcome.ends.size(), paths_.size());
}

// The problem in the first input is the last in time.
TEST_F(BlockPipeline, TheFirstProblemInOrderIsThrownOnceAllBeforeItIsReported) {
  write(gzip(click_text(12, 1)));
  const std::size_t first_blocks = all_blocks().size();
  ASSERT_EQ(first_blocks, 2u);
  write(gzip(click_text(60, 2)));
  std::mutex mutex;
  std::condition_variable changed;
  bool has_failed = false;
  const Outcome outcome = run(all_limits, first_blocks + 1, [&](InputBlock& block) {
    std::unique_lock lock(mutex);
    if (block.input == 1) {
      has_failed = true;
      changed.notify_all();
      throw std::domain_error("in the second input");
    }
    EXPECT_TRUE(changed.wait_for(lock, std::chrono::minutes(1), [&] { return has_failed; }));
    if (block.block.index == 1) throw std::domain_error("in the first input");
  });
  EXPECT_EQ(outcome.problem, "in the first input");
  EXPECT_EQ(outcome.told, std::vector<Named>(1, Named(0, 0)));
}

// Nothing ever arrives through the pipe.
TEST_F(BlockPipeline, AStreamIsNotWaitedForWhereAnInputBeforeItFails) {
  write(click_text(2, 1));
  paths_.push_back(folder_.file("pipe"));
  ASSERT_EQ(::mkfifo(paths_.back().c_str(), 0600), 0);
  const int both_ends = ::open(paths_.back().c_str(), O_RDWR);
  ASSERT_GE(both_ends, 0);
  const Outcome outcome = run(all_limits, 3, [](InputBlock&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    throw std::domain_error("late");
  });
  ::close(both_ends);
  EXPECT_EQ(outcome.problem, "late");
}

TEST_F(BlockPipeline, AnExceptionOfTheCallbackEndsItAtOnce) {
  for (int input = 0; input < 4; ++input) write(click_text(50, 1));
  ASSERT_GT(all_blocks().size(), 20u);
  std::atomic<std::size_t> worked{0};
  int told = 0;
  const Outcome outcome = run(
      {.in_flight = 2, .in_memory = 2}, 3, [&](InputBlock&) { ++worked; }, nullptr,
      [&] {
        if (++told == 2) throw std::runtime_error("no space left");
      });
  EXPECT_EQ(outcome.problem, "no space left");
  EXPECT_EQ(told, 2);
  EXPECT_LE(worked, 4u);
}

// Inputs of all kinds, some of them truncated, with blocks that fail and all limits. What is thrown, and what
// must have been reported by then, follows from the order of the inputs alone.
TEST_F(BlockPipeline, RandomRunsFailAsOneThreadDoes) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    paths_.clear();
    for (auto inputs = 1 + random() % 6; inputs > 0; --inputs) {
      const std::string text = click_text(random() % 30, static_cast<unsigned>(random()));
      const auto kind = random() % 5;
      const std::string packed = kind < 2 ? gzip(text) : kind < 4 ? zstd(text) : text;
      const bool is_cut = kind < 4 && random() % 10 == 0;
      write(is_cut ? packed.substr(0, packed.size() / 2 + 20) : packed);
    }
    std::set<Named> failing;
    for (const auto fails = random() % 3; failing.size() < fails;)
      failing.emplace(random() % paths_.size(), random() % 8);
    const Work work = [&](InputBlock& block) {
      load_text(block.block);
      const Named name(block.input, block.block.index);
      if (failing.contains(name))
        throw std::domain_error("block " + std::to_string(name.first) + " " + std::to_string(name.second));
    };
    const Outcome alone = run(all_limits, 1, work);
    for (const std::size_t threads : {2, 5}) {
      Outcome outcome = run({.in_flight = 1 + random() % 6, .in_memory = 1 + random() % 3}, threads, work);
      EXPECT_EQ(outcome.problem, alone.problem) << round;
      std::ranges::sort(outcome.told);
      // Some blocks after the problem are reported too.
      EXPECT_TRUE(std::ranges::includes(outcome.told, alone.told)) << round;
      EXPECT_TRUE(std::ranges::adjacent_find(outcome.told) == outcome.told.end()) << round;
      EXPECT_TRUE(!alone.problem.empty() || outcome.told == alone.told) << round;
    }
  }
}

TEST_F(BlockPipeline, ReportsArriveAsTheyAreMade) {
  write(gzip(click_text(40, 1)));
  write(click_text(20, 2));
  const RowRules rules(schema_);
  const std::vector<Input> inputs = expand_inputs(paths_);
  const RunInputs run{.schema = schema_, .rules = rules, .inputs = inputs, .block_bytes = 200};
  std::uint64_t rows = 0;
  std::size_t ends = 0;
  const auto report_of = [](InputBlock& block) {
    load_text(block.block);
    BlockReport report;
    report.block = block.block.index;
    report.counts = block.counts(block.block.num_rows);
    return report;
  };
  report_each_block(run, all_limits, report_of, [&](const RunNews& news) {
    for (const BlockReport& block : news.blocks) rows += block.counts.rows_read;
    ends += news.ends.size();
  });
  EXPECT_EQ(rows, 60u);
  EXPECT_EQ(ends, 2u);
}

// While `tell` waits for its own parallel work, its thread must not take up another part of the outer loop:
// that part would wait until `tell` has returned.
TEST_F(BlockPipeline, SeveralThreadsMayReport) {
  for (unsigned i = 0; i < 41; ++i) write(click_text(5, i));
  for (const std::size_t threads : {2, 3, 16}) {
    std::atomic<int> calls = 0;
    const Outcome outcome = run(
        {.in_flight = 1, .in_memory = 1}, threads, [](InputBlock&) {}, nullptr,
        [&] {
          parallel_for(64, [&](std::size_t) {
            ++calls;
            std::this_thread::sleep_for(std::chrono::microseconds(50));
          });
        });
    EXPECT_EQ(outcome.problem, "");
    EXPECT_EQ(outcome.ends.size(), 41u);
    EXPECT_GE(calls, 41 * 64);
  }
}

}  // namespace
}  // namespace widehash::test
