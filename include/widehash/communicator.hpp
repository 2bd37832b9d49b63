#pragma once

/// \file
/// How the ranks of a training communicate: through collectives, which every rank calls in the same order
/// with matching sizes. Code gets its rank and the world size from this object, never from the process.
///
/// Reductions add pairs of neighbouring ranks, then pairs of those sums, ((x0 + x1) + (x2 + x3)) + ...,
/// element by element. The result has the same bits whatever the timing, and however the ranks are spread
/// over threads, processes and hosts. If each host has the same 2^k ranks, k > 0, numbered consecutively,
/// collectives of many numbers cross between hosts once per host instead of once per rank.
///
/// Parts. If a collective cuts an array over ranks, `offsets` has size() + 1 positions and rank r's part is
/// [offsets[r], offsets[r + 1]). Parts may be empty and need not be equal.
///
/// Errors. Collectives throw CommError if another rank failed (naming it and its reason), is gone, or
/// disagrees about sizes. After an error the communicator can no longer be used.

#include <widehash/activity.hpp>
#include <widehash/device.hpp>
#include <widehash/device_span.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace widehash {

class Communicator {
 public:
  virtual ~Communicator() = default;

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  /// The device that this rank computes on.
  const Device& device() const noexcept { return device_; }

  /// values[i] = sum over ranks of values[i].
  virtual void all_reduce(std::span<float> values) = 0;
  virtual void all_reduce(std::span<double> values) = 0;
  /// own[i] = sum over ranks of values[offsets[rank] + i]. `values` is unchanged afterwards, unless `own` is
  /// this rank's part of it, which is allowed.
  virtual void reduce_scatter(std::span<const float> values, std::span<const std::size_t> offsets,
                              std::span<float> own) = 0;
  virtual void reduce_scatter(std::span<const double> values, std::span<const std::size_t> offsets,
                              std::span<double> own) = 0;
  /// Copies every rank's `own` part, in order, into `whole` on all ranks. `own` may lie at its place in
  /// `whole`. Offsets are in bytes.
  virtual void all_gather_bytes(std::span<const std::byte> own, std::span<const std::size_t> offsets,
                                std::span<std::byte> whole) = 0;
  /// Like all_gather_bytes(), but for the root only. `whole` may be empty on other ranks.
  virtual void gather_bytes(std::span<const std::byte> own, std::span<const std::size_t> offsets, int root,
                            std::span<std::byte> whole) = 0;
  /// Copies the root's values to all ranks.
  virtual void broadcast_bytes(std::span<std::byte> values, int root) = 0;
  /// from[p] of rank r = to[r] of rank p. Each takes one span per rank, of the size that the other end gives.
  virtual void all_to_all_bytes(std::span<const std::span<const std::byte>> to,
                                std::span<const std::span<std::byte>> from) = 0;
  /// Returns once all ranks have called it.
  virtual void barrier() = 0;

  /// Bytes this rank has sent to other ranks, over a network or within memory.
  virtual std::uint64_t bytes_sent() const noexcept = 0;
  /// The part of bytes_sent() that went to ranks on other hosts.
  virtual std::uint64_t bytes_sent_to_other_hosts() const noexcept = 0;

  template <class T>
  void all_gather(std::span<const T> own, std::span<const std::size_t> offsets, std::span<T> whole) {
    all_gather_bytes(std::as_bytes(own), in_bytes<T>(offsets), std::as_writable_bytes(whole));
  }
  template <class T>
  void gather(std::span<const T> own, std::span<const std::size_t> offsets, int root, std::span<T> whole) {
    gather_bytes(std::as_bytes(own), in_bytes<T>(offsets), root, std::as_writable_bytes(whole));
  }
  template <class T>
  void broadcast(std::span<T> values, int root) {
    broadcast_bytes(std::as_writable_bytes(values), root);
  }

  // The same for numbers in the memory of the ranks' devices. On a GPU, the collective runs after the work
  // queued on the stream of the numbers' context, and work queued there later sees the result.

  template <class Real>
  void all_reduce(DeviceSpan<Real> values) {
    if (values.is_on_host()) return all_reduce(values.host());
    all_reduce_on_device(as_float(values));
  }
  template <class Real>
  void reduce_scatter(DeviceSpan<const std::type_identity_t<Real>> values,
                      std::span<const std::size_t> offsets, DeviceSpan<Real> own) {
    if (values.is_on_host()) return reduce_scatter(values.host(), offsets, own.host());
    reduce_scatter_on_device(as_float(values), offsets, as_float(own));
  }
  template <class Real>
  void all_gather(DeviceSpan<const std::type_identity_t<Real>> own, std::span<const std::size_t> offsets,
                  DeviceSpan<Real> whole) {
    if (own.is_on_host()) return all_gather<Real>(own.host(), offsets, whole.host());
    all_gather_on_device(as_float(own), offsets, as_float(whole));
  }

  /// Where this rank spends its time.
  ActivityClock& clock() noexcept { return clock_; }
  /// Collectives that this rank's GPU carried out directly with other GPUs since the clock was started, if
  /// the clock keeps spans: at most the first 10,000. Waits for those in progress.
  virtual std::vector<CollectiveSpan> collective_spans() { return {}; }

 protected:
  Communicator(int rank, int size, const Device& device = {}) noexcept
      : rank_(rank), size_(size), device_(device) {}

  // For GPUs, in float32. The default implementations move the numbers through pinned host memory, so any
  // transport of bytes between hosts can carry them.
  virtual void all_reduce_on_device(DeviceSpan<float> values);
  virtual void reduce_scatter_on_device(DeviceSpan<const float> values, std::span<const std::size_t> offsets,
                                        DeviceSpan<float> own);
  virtual void all_gather_on_device(DeviceSpan<const float> own, std::span<const std::size_t> offsets,
                                    DeviceSpan<float> whole);

 private:
  template <class T>
  static std::vector<std::size_t> in_bytes(std::span<const std::size_t> offsets) {
    std::vector<std::size_t> bytes(offsets.begin(), offsets.end());
    for (std::size_t& offset : bytes) offset *= sizeof(T);
    return bytes;
  }

  // GPUs train in float32. A request for double is a programming error, not a user error.
  static DeviceSpan<float> as_float(DeviceSpan<float> values) noexcept { return values; }
  static DeviceSpan<const float> as_float(DeviceSpan<const float> values) noexcept { return values; }
  [[noreturn]] static DeviceSpan<float> as_float(DeviceSpan<double>) { throw_only_float(); }
  [[noreturn]] static DeviceSpan<const float> as_float(DeviceSpan<const double>) { throw_only_float(); }
  [[noreturn]] static void throw_only_float();

  struct PinnedCopies;
  PinnedCopies& pinned_copies();

  int rank_;
  int size_;
  Device device_;
  ActivityClock clock_;
  // For numbers on GPUs; created when they first pass through the host.
  std::shared_ptr<PinnedCopies> pinned_copies_;
};

/// Cuts `count` items into `parts` of nearly equal size, larger parts first. Returns parts + 1 positions.
std::vector<std::size_t> even_offsets(std::size_t count, std::size_t parts);

}  // namespace widehash
