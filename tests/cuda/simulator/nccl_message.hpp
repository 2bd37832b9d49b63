#pragma once

/// \file
/// What the ranks of a simulated communicator tell one another at a turn, in one file each.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace simulator {

enum class Kind : std::int32_t { send, receive, all_reduce };

struct Call {
  Kind kind = Kind::send;
  std::int32_t peer = 0;
  std::uint64_t count = 0;
};

/// What a rank announces at a turn.
struct Message {
  std::int32_t num_ranks = 0;
  std::int32_t device = 0;
  std::vector<Call> calls;
  std::vector<std::vector<float>> values;  // for each call; empty if it receives
};

/// Returns whether the message could be written. If a rank gave the communicator up, the folder is gone.
bool write_message(const std::filesystem::path& file, const Message& message);
/// Returns whether the whole message is there.
bool read_message(const std::filesystem::path& file, Message& message);

/// Indices of the calls of `kind` with `peer`, in order.
std::vector<std::size_t> calls_with(const Message& message, Kind kind, int peer);

/// Whether the calls match: either all ranks reduce the same count, or none does, and sends meet the receives
/// of their peers in order, with none left over.
bool fit_together(const std::vector<Message>& messages);

}  // namespace simulator
