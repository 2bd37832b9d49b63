#pragma once

/// \file
/// When a GPU was at its collectives, by its own clock: the host only queues them.

#include "cuda/cuda_stream.hpp"

#include <widehash/activity.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace widehash::detail {

class CollectiveTimes {
 public:
  /// Those that a trace keeps; later ones are not measured.
  static constexpr std::size_t most = 10'000;

  /// Before a collective is queued on a stream of the current device. Where the clock keeps no spans nothing
  /// is done here nor in end(). The first waits for the stream, to set the device's clock beside the host's.
  void begin(const ActivityClock& clock, const cuda::Stream& stream);
  /// Behind it.
  void end(const cuda::Stream& stream, std::uint64_t bytes_sent);

  /// Of all that were begun since the clock's start(). Waits for them.
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
