#pragma once

/// \file
/// Split a batch over devices, apply a function to each slice, concatenate the results: the pattern behind
/// data parallelism, for any function.
///
///     batch   [ r0 r1 r2 | r3 r4 r5 | r6 r7 ]       slices of nearly equal size, in row order
///                 fn          fn         fn         in parallel, one per device
///     result  [ fn(...)... | fn(...)... | ... ]     in the order of the slices
///
/// Fitting 5 x^2 + 3 over two devices: each slice gives the gradient of its rows, and the sums of the parts
/// make a step of Adam (examples/polynomial_fit/main.cpp is the complete program):
///
///     std::vector<Point> points = ...;                                   // x and y = 5 x^2 + 3
///     const auto parts = split_apply_concat(parse_devices("cpu,cpu"), std::span<const Point>(points),
///                                           [&](std::span<const Point> slice) { return gradient(slice, w); });
///     // parts: [dL/da, dL/db of the first half, dL/da, dL/db of the second]

#include <widehash/code_batch.hpp>
#include <widehash/communicator.hpp>
#include <widehash/device_team.hpp>

#include <iterator>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace widehash {

template <class T>
std::span<T> slice_of(std::span<T> batch, std::size_t begin, std::size_t count) {
  return batch.subspan(begin, count);
}
inline CodeBatchView slice_of(const CodeBatchView& batch, std::size_t begin, std::size_t count) {
  return batch.rows(begin, count);
}
template <class T>
std::size_t num_rows_of(std::span<T> batch) noexcept {
  return batch.size();
}
inline std::size_t num_rows_of(const CodeBatchView& batch) noexcept { return batch.num_rows; }

/// Calls fn(slice) for each slice of `batch`, a span or a CodeBatchView. fn returns a range of values of any
/// length; the result holds these ranges one after the other. If the batch has fewer rows than there are
/// devices, some slices are empty, and fn is called for them too. `devices` must belong to this process. fn
/// runs on several threads at once and must not modify what they share. If fn throws, the exception is
/// rethrown to the caller; if several calls throw, the exception of the first slice is. Cost: a thread start
/// per device, and a copy of what fn returns.
template <class Batch, class Fn>
auto split_apply_concat(const std::vector<Device>& devices, const Batch& batch, const Fn& fn) {
  using Slice = decltype(slice_of(batch, 0, 0));
  using Values = std::decay_t<std::invoke_result_t<const Fn&, Slice>>;
  using Value = std::ranges::range_value_t<Values>;

  DeviceTeam team(devices);
  const std::vector<std::size_t> offsets = even_offsets(num_rows_of(batch), devices.size());
  std::vector<std::vector<Value>> parts(devices.size());
  team.run([&](Communicator& communicator) {
    const auto device = static_cast<std::size_t>(communicator.rank());
    const Slice slice = slice_of(batch, offsets[device], offsets[device + 1] - offsets[device]);
    const Values values = fn(slice);
    parts[device].assign(std::begin(values), std::end(values));
  });
  std::vector<Value> whole;
  for (const auto& part : parts) whole.insert(whole.end(), part.begin(), part.end());
  return whole;
}

}  // namespace widehash
