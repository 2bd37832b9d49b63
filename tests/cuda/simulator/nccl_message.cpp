#include "nccl_message.hpp"

#include <algorithm>
#include <fstream>
#include <system_error>

namespace simulator {
namespace {

namespace fs = std::filesystem;

bool is_reduction(const Message& message) {
  return message.calls.size() == 1 && message.calls.front().kind == Kind::all_reduce;
}

}  // namespace

bool write_message(const fs::path& file, const Message& message) {
  const fs::path aside = file.string() + ".part";
  {
    std::ofstream out(aside, std::ios::binary);
    const auto put = [&](const auto& value) {
      out.write(reinterpret_cast<const char*>(&value), sizeof value);
    };
    put(message.num_ranks);
    put(message.device);
    put(static_cast<std::uint64_t>(message.calls.size()));
    for (const Call& call : message.calls) put(call);
    for (const auto& values : message.values)
      out.write(reinterpret_cast<const char*>(values.data()),
                static_cast<std::streamsize>(values.size() * sizeof(float)));
  }
  std::error_code error;
  fs::rename(aside, file, error);
  return !error;
}

bool read_message(const fs::path& file, Message& message) {
  std::ifstream in(file, std::ios::binary);
  const auto get = [&](auto& value) { in.read(reinterpret_cast<char*>(&value), sizeof value); };
  std::uint64_t num_calls = 0;
  get(message.num_ranks);
  get(message.device);
  get(num_calls);
  message.calls.resize(num_calls);
  for (Call& call : message.calls) get(call);
  for (const Call& call : message.calls) {
    auto& values = message.values.emplace_back(call.kind == Kind::receive ? 0 : call.count);
    in.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(float)));
  }
  return in.good();
}

std::vector<std::size_t> calls_with(const Message& message, Kind kind, int peer) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < message.calls.size(); ++i) {
    if (message.calls[i].kind == kind && message.calls[i].peer == peer) found.push_back(i);
  }
  return found;
}

bool fit_together(const std::vector<Message>& messages) {
  if (std::any_of(messages.begin(), messages.end(), is_reduction)) {
    return std::all_of(messages.begin(), messages.end(), [&](const Message& message) {
      return is_reduction(message) && message.calls.front().count == messages.front().calls.front().count;
    });
  }
  for (std::size_t from = 0; from < messages.size(); ++from) {
    for (std::size_t to = 0; to < messages.size(); ++to) {
      const auto sends = calls_with(messages[from], Kind::send, static_cast<int>(to));
      const auto receives = calls_with(messages[to], Kind::receive, static_cast<int>(from));
      const auto same_count = [&](std::size_t s, std::size_t r) {
        return messages[from].calls[s].count == messages[to].calls[r].count;
      };
      if (!std::equal(sends.begin(), sends.end(), receives.begin(), receives.end(), same_count)) return false;
    }
  }
  return true;
}

}  // namespace simulator
