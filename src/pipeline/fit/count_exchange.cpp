#include "count_exchange.hpp"

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {
namespace {

constexpr std::size_t message_bytes = std::size_t{256} << 10;

/// The header of a value in a message; its bytes follow.
struct CountHead {
  std::uint64_t count = 0;
  std::uint32_t feature = 0;
  std::uint32_t length = 0;
};

struct RoundHead {
  std::uint64_t num_bytes = 0;
  std::uint64_t is_last = 0;  // the sender has drained everything
};

class CountExchange {
 public:
  CountExchange(Communicator& communicator, TableBuilder& merged)
      : communicator_(communicator),
        merged_(merged),
        outgoing_(static_cast<std::size_t>(communicator.size())),
        incoming_(outgoing_.size()) {
    for (std::size_t rank = 0; rank < outgoing_.size(); ++rank) runs_.push_back(merged.begin_run());
  }

  void give(std::size_t feature, std::string_view value, std::uint64_t count) {
    std::string& message = outgoing_[static_cast<std::size_t>(table_writer(feature, communicator_.size()))];
    const CountHead head{count, static_cast<std::uint32_t>(feature),
                         static_cast<std::uint32_t>(value.size())};
    message.append(reinterpret_cast<const char*>(&head), sizeof head);
    message.append(value);
    if (message.size() >= message_bytes) exchange(false);
  }
  void finish() {
    while (!exchange(true)) {
    }
  }

 private:
  // Sends one message to every rank. Returns true when no rank has more.
  bool exchange(bool is_last) {
    const std::size_t ranks = outgoing_.size();
    std::vector<RoundHead> own(ranks);
    std::vector<RoundHead> theirs(ranks);
    std::vector<std::span<const std::byte>> to(ranks);
    std::vector<std::span<std::byte>> from(ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
      own[r] = {outgoing_[r].size(), is_last ? std::uint64_t{1} : 0};
      to[r] = std::as_bytes(std::span(&own[r], 1));
      from[r] = std::as_writable_bytes(std::span(&theirs[r], 1));
    }
    communicator_.all_to_all_bytes(to, from);
    bool all_last = true;
    for (std::size_t r = 0; r < ranks; ++r) {
      all_last = all_last && theirs[r].is_last != 0;
      incoming_[r].resize(theirs[r].num_bytes);
      to[r] = std::as_bytes(std::span(outgoing_[r]));
      from[r] = std::as_writable_bytes(std::span(incoming_[r]));
    }
    communicator_.all_to_all_bytes(to, from);
    for (std::size_t r = 0; r < ranks; ++r) {
      outgoing_[r].clear();
      take(runs_[r], incoming_[r]);
    }
    return all_last;
  }

  void take(std::size_t run, std::string_view message) {
    while (!message.empty()) {
      CountHead head;
      std::memcpy(&head, message.data(), sizeof head);
      merged_.add_to_run(run, head.feature, message.substr(sizeof head, head.length), head.count);
      message.remove_prefix(sizeof head + head.length);
    }
  }

  Communicator& communicator_;
  TableBuilder& merged_;
  std::vector<std::size_t> runs_;      // values received, one run per sending rank
  std::vector<std::string> outgoing_;  // to each rank
  std::vector<std::string> incoming_;
};

}  // namespace

void exchange_counts(Communicator& communicator, TableBuilder& counted, TableBuilder& merged) {
  CountExchange exchange(communicator, merged);
  counted.drain([&](std::size_t feature, std::string_view value, std::uint64_t count) {
    exchange.give(feature, value, count);
  });
  exchange.finish();
}

}  // namespace widehash
