#pragma once

/// \file
/// The basis of the collectives: every rank shows bytes to every other in one step. Each collective is
/// written once, as a sequence of such steps, for threads and processes alike.

#include "host_layout.hpp"

#include <widehash/activity.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace widehash::detail {

using Bytes = std::span<const std::byte>;

class Transport {
 public:
  virtual ~Transport() = default;

  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;
  /// Which ranks share a host.
  virtual const HostLayout& hosts() const noexcept = 0;

  /// Performs one step: shows to[p] to each rank p, and sets from[p] to the expected[p] bytes that p shows to
  /// this rank; from[rank] is to[rank]. The views may point directly into the memory of other ranks. They are
  /// valid, and what was shown must stay unchanged where others read it, until all ranks have called
  /// exchange() or finish() again. Throws CommError, but only once no rank of this process still reads what
  /// this rank has shown, so that memory may be freed.
  virtual void exchange(std::span<const Bytes> to, std::span<const std::size_t> expected,
                        std::span<Bytes> from) = 0;
  /// Returns when every rank of this process has called it: what was shown may then be changed. Throws as
  /// exchange() does.
  virtual void finish() = 0;
  /// Declares that this rank no longer reads what others have shown it. For collectives that end without
  /// finish().
  virtual void look_away() noexcept = 0;

  virtual ActivityClock& clock() noexcept = 0;
  virtual std::uint64_t bytes_sent() const noexcept = 0;
  /// The part of bytes_sent() that went to ranks of other hosts.
  virtual std::uint64_t bytes_sent_to_other_hosts() const noexcept = 0;
};

}  // namespace widehash::detail
