#include "lifeline.hpp"

#include <widehash/error.hpp>

#include <array>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace widehash::detail {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::StartsWith;
using Clock = std::chrono::steady_clock;

/// A job whose processes are threads of this one. They reach each other over sockets, as hosts would.
class Job {
 public:
  using Heard = std::vector<std::pair<int, std::string>>;

  /// Calls `before_joining` with the text of process 0 before the others receive it.
  explicit Job(int num_processes, const std::function<void(const std::string&)>& before_joining = {})
      : heard_(static_cast<std::size_t>(num_processes)), lines_(heard_.size()) {
    std::promise<std::string> promise;
    std::shared_future<std::string> text = promise.get_future().share();
    std::vector<std::thread> threads;
    for (int process = 0; process < num_processes; ++process) {
      threads.emplace_back([&, process] {
        const auto share = [&, process](std::string& shared) {
          if (process == 0 && before_joining) before_joining(shared);
          if (process == 0) promise.set_value(shared);
          shared = text.get();
        };
        lines_[static_cast<std::size_t>(process)] = std::make_unique<Lifeline>(
            process, num_processes, share, [this, process](int failed, const std::string& reason) {
              const std::lock_guard lock(mutex_);
              heard_[static_cast<std::size_t>(process)].emplace_back(failed, reason);
            });
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  Lifeline& line(std::size_t process) { return *lines_.at(process); }
  /// Ends the process without a message, as if it had been killed.
  void kill(std::size_t process) { lines_.at(process).reset(); }

  Heard heard(std::size_t process) {
    const std::lock_guard lock(mutex_);
    return heard_.at(process);
  }
  /// Waits until the process has heard something, and returns all of it.
  Heard wait_until_heard(std::size_t process) {
    const auto start = Clock::now();
    while (heard(process).empty() && Clock::now() - start < std::chrono::seconds(60))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    Heard all = heard(process);
    EXPECT_FALSE(all.empty()) << "process " << process << " has heard nothing";
    return all;
  }

 private:
  std::mutex mutex_;
  std::vector<Heard> heard_;
  std::vector<std::unique_ptr<Lifeline>>
      lines_;  // last member: their threads write to heard_ until they have ended
};

TEST(Lifeline, ProcessesThatSayGoodbyeHaveNotFailed) {
  for (const std::vector<std::size_t>& order : {std::vector<std::size_t>{0, 1, 2}, {2, 1, 0}, {1, 0, 2}}) {
    Job job(3);
    for (const std::size_t process : order) {
      EXPECT_TRUE(job.line(process).end());
      job.kill(process);
    }
    for (const std::size_t process : order) EXPECT_THAT(job.heard(process), IsEmpty());
  }
}

TEST(Lifeline, AnAnnouncedFailureReachesAllOthers) {
  for (const std::size_t failing : {0U, 1U}) {
    Job job(3);
    job.line(failing).announce_failure("rank 4 failed:\na.shard is damaged");
    for (std::size_t process = 0; process < 3; ++process) {
      if (process == failing) continue;
      EXPECT_THAT(job.wait_until_heard(process),
                  Each(Pair(static_cast<int>(failing), "rank 4 failed: a.shard is damaged")));
    }
    EXPECT_THAT(job.heard(failing), IsEmpty());
    for (std::size_t process = 0; process < 3; ++process) EXPECT_FALSE(job.line(process).end());
  }
}

TEST(Lifeline, AProcessThatIsGoneIsNoticedByAll) {
  const std::string pid = "pid " + std::to_string(::getpid());
  Job job(3);
  job.kill(2);
  for (const std::size_t process : {0U, 1U}) {
    EXPECT_THAT(job.wait_until_heard(process), Each(Pair(2, AllOf(StartsWith("is gone ("), HasSubstr(pid)))));
    EXPECT_FALSE(job.line(process).end());
  }
}

TEST(Lifeline, ThatProcess0IsGoneIsNoticedByAll) {
  Job job(3);
  job.kill(0);
  for (const std::size_t process : {1U, 2U})
    EXPECT_THAT(job.wait_until_heard(process), Each(Pair(0, StartsWith("is gone (of process 0)"))));
}

/// A connection to this host; closed on destruction.
class Stranger {
 public:
  explicit Stranger(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(port);
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0;
  }
  ~Stranger() { ::close(socket_); }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;

  bool is_connected() const noexcept { return is_connected_; }
  void say(const std::string& text) const { ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL); }
  /// Everything that arrives until the other end closes.
  std::string hear_to_the_end() const {
    std::string heard;
    std::array<char, 64> buffer{};
    for (ssize_t count = 1; count > 0;) {
      count = ::recv(socket_, buffer.data(), buffer.size(), 0);
      if (count > 0) heard.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return heard;
  }

 private:
  int socket_;
  bool is_connected_ = false;
};

TEST(Lifeline, StrangersWhoFindThePortAreNotOfTheJob) {
  // The last one hangs up without sending anything.
  for (const std::string hello : {"hello 0123456789abcdef 1 me\n", "GET / HTTP/1.1\r\n\r\n", ""}) {
    std::unique_ptr<Stranger> stranger;
    Job job(2, [&](const std::string& text) {
      std::istringstream words(text);
      std::string token;
      std::uint16_t port = 0;
      words >> token >> port;
      stranger = std::make_unique<Stranger>(port);
      EXPECT_TRUE(stranger->is_connected());
      stranger->say(hello);
      if (hello.empty()) stranger.reset();
    });
    if (stranger != nullptr) {
      EXPECT_EQ(stranger->hear_to_the_end(), "");
    }
    // Only its two processes belong to the job.
    stranger.reset();
    job.line(1).announce_failure("rank 1 failed: here");
    EXPECT_THAT(job.wait_until_heard(0), Each(Pair(1, "rank 1 failed: here")));
  }
}

/// A port at which nobody listens: one that the system chose a moment ago.
std::uint16_t quiet_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof place;
  EXPECT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&place), size), 0);
  EXPECT_EQ(::getsockname(socket, reinterpret_cast<sockaddr*>(&place), &size), 0);
  ::close(socket);
  return ntohs(place.sin_port);
}

TEST(Lifeline, AProcessThatReachesNobodySaysWhereItTried) {
  const std::string port = std::to_string(quiet_port());
  try {
    const Lifeline line(
        1, 2, [&](std::string& text) { text = "0123456789abcdef " + port + " 127.0.0.1 no-address"; },
        [](int, const std::string&) {});
    FAIL() << "it has joined nobody";
  } catch (const CommError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("process 1 cannot reach process 0"),
                                    HasSubstr("127.0.0.1 no-address"), HasSubstr(port)));
  }
}

}  // namespace
}  // namespace widehash::detail
