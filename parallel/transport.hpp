#pragma once

/// \file
/// What the collectives stand on: every rank shows bytes to every other. One step, so that each collective
/// can be written once, as steps of this, for threads and processes alike.

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
  /// Which ranks are on one host.
  virtual const HostLayout& hosts() const noexcept = 0;

  /// One step: shows to[p] to each rank p and gives in from[p] what p shows here, of expected[p] bytes;
  /// from[rank] is to[rank]. The views may look straight into the others' memory. They hold, and what was
  /// shown must stay as it is where others look, until all ranks have come to the next exchange() or
  /// finish(). Throws CommError, and then when nobody of this process looks any more: memory that was shown
  /// may be given back.
  virtual void exchange(std::span<const Bytes> to, std::span<const std::size_t> expected,
                        std::span<Bytes> from) = 0;
  /// Returns when every rank of this process has come here: what was shown may be changed again. Throws as
  /// exchange().
  virtual void finish() = 0;
  /// This rank no longer looks at what it was given. For collectives that end without finish().
  virtual void look_away() noexcept = 0;

  virtual ActivityClock& clock() noexcept = 0;
  virtual std::uint64_t bytes_sent() const noexcept = 0;
  /// Of these those to ranks of other hosts.
  virtual std::uint64_t bytes_sent_to_other_hosts() const noexcept = 0;
};

}  // namespace widehash::detail
