#pragma once

/// \file
/// When a GPU ran its collectives, measured by its own clock, because the host only queues them.

#include "cuda/cuda_stream.hpp"

#include <widehash/activity.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace widehash::detail {

class CollectiveTimes {
 public:
  /// The number of collectives that a trace keeps. Later ones are not measured.
  static constexpr std::size_t most = 10'000;

  /// Call before a collective is queued on a stream of the current device. If the clock keeps no spans, this
  /// and end() do nothing. The first call waits for the stream, to align the device's clock with the host's.
  void begin(const ActivityClock& clock, const cuda::Stream& stream);
  /// Call after the collective is queued.
  void end(const cuda::Stream& stream, std::uint64_t bytes_sent);

  /// The spans of all collectives begun since the clock's start(). Waits for them.
  std::vector<CollectiveSpan> spans() const;

 private:
  struct Collective {
    cuda::Event begin{cudaEventDefault};
    cuda::Event end{cudaEventDefault};
    std::uint64_t bytes_sent = 0;
  };

  std::chrono::steady_clock::time_point clock_start_;
  cuda::Event zero_{cudaEventDefault};
  std::int64_t zero_ns_ = 0;  // since the clock's start
  bool is_measuring_ = false;
  std::vector<Collective> collectives_;
};

}  // namespace widehash::detail
