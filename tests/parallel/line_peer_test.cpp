#include "line_peer.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

namespace widehash::detail {
namespace {

using namespace std::chrono_literals;

std::pair<LinePeer, Socket> connection() {
  std::array<int, 2> ends{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  return {LinePeer(Socket(ends[0])), Socket(ends[1])};
}

void send_text(const Socket& socket, const std::string& text) {
  ASSERT_EQ(::send(socket.descriptor(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
}

TEST(LinePeer, LinesComeWholeHoweverTheyAreCut) {
  auto [peer, other] = connection();
  std::string line;
  send_text(other, "one\ntw");
  ASSERT_TRUE(peer.receive());
  EXPECT_TRUE(peer.take_line(line));
  EXPECT_EQ(line, "one");
  EXPECT_FALSE(peer.take_line(line));
  send_text(other, "o\n\nlast\n");
  for (const char* expected : {"two", "", "last"}) {
    ASSERT_TRUE(peer.read_line(line, 1000));
    EXPECT_EQ(line, expected);
  }
}

TEST(LinePeer, WhatIsSentIsALine) {
  auto [peer, other] = connection();
  LinePeer reader(std::move(other));
  const std::string longer(100'000, 'x');
  std::thread sender([&peer = peer, &longer] { EXPECT_TRUE(peer.send("short") && peer.send(longer)); });
  std::string line;
  ASSERT_TRUE(reader.read_line(line, 1000));
  EXPECT_EQ(line, "short");
  ASSERT_TRUE(reader.read_line(line, 1000));
  EXPECT_EQ(line, longer);
  sender.join();
}

TEST(LinePeer, AnEndIsReported) {
  auto [peer, other] = connection();
  send_text(other, "half a li");
  other.close();
  std::string line;
  EXPECT_FALSE(peer.read_line(line, 1000));
  EXPECT_FALSE(peer.receive());
  EXPECT_FALSE(peer.send("to nobody"));
  EXPECT_TRUE(peer.is_open());
  peer.close();
  EXPECT_FALSE(peer.is_open());
  EXPECT_EQ(peer.descriptor(), -1);
}

TEST(LinePeer, WaitingEndsAfterItsTime) {
  auto [peer, other] = connection();
  std::string line;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(peer.read_line(line, 30));
  EXPECT_GE(std::chrono::steady_clock::now() - start, 30ms);
}

TEST(LinePeer, ASignalDoesNotEndAWait) {
  struct sigaction quiet {};
  struct sigaction before {};
  quiet.sa_handler = [](int) {};  // without SA_RESTART
  ASSERT_EQ(::sigaction(SIGUSR1, &quiet, &before), 0);
  auto [peer, other] = connection();
  const pthread_t waiting = ::pthread_self();
  std::thread sender([&other = other, waiting] {
    for (int i = 0; i < 20; ++i) {
      std::this_thread::sleep_for(2ms);
      ::pthread_kill(waiting, SIGUSR1);
    }
    send_text(other, "at last\n");
  });
  std::string line;
  EXPECT_TRUE(peer.read_line(line, 30'000));
  EXPECT_EQ(line, "at last");
  sender.join();
  ::sigaction(SIGUSR1, &before, nullptr);
}

}  // namespace
}  // namespace widehash::detail
