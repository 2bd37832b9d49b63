#pragma once

/// \file
/// Other ways to the sums and to the gradient of the first layer, for device_bench to hold against those of
/// src/network/cuda. For rows of four-split features only, and none has a place in the program: floats that
/// are added in any order give other bits every time.

#include "cuda/device_buffer.hpp"
#include "device_rows.hpp"
#include "slot_plan_copy.hpp"

#include <cstdint>

namespace widehash::bench {

/// gradient[c, :] += sum over rows that set c of deltas[row, :], by additions of floats in device memory, one
/// at a time.
void add_floats(const cuda::DeviceContext& context, const cuda::DeviceRows& rows,
                const cuda::DevicePlan& plan, const float* deltas, std::uint32_t units, float* gradient);

/// The same by additions of four neighbouring floats, where the device has them (sm_90 on). `units` is a
/// multiple of 4.
void add_float_vectors(const cuda::DeviceContext& context, const cuda::DeviceRows& rows,
                       const cuda::DevicePlan& plan, const float* deltas, std::uint32_t units,
                       float* gradient);

/// As cuda::gather_sum, of weights in bfloat16: the upper halves of floats. `units` is a multiple of 8.
void gather_bfloat16(const cuda::DeviceContext& context, const cuda::DeviceRows& rows,
                     const cuda::DevicePlan& plan, const std::uint16_t* weights, std::uint32_t units,
                     float* sums);

/// Sums of one unit: a block copies the weights of some slots into shared memory, and goes over some of the
/// rows.
class StagedGather {
 public:
  StagedGather(const cuda::DeviceContext& context, const cuda::SlotPlanCopy& plan);

  /// As cuda::gather_sum.
  void compute(const cuda::DeviceRows& rows, const float* weights, float* sums);

  /// Slots [begin, begin + count) of codes and byte codes, as the plan has them one behind the other.
  struct Group {
    std::uint32_t begin = 0;
    std::uint32_t count = 0;
  };

 private:
  const cuda::DeviceContext& context_;
  const cuda::SlotPlanCopy& plan_;
  cuda::DeviceBuffer<Group> groups_;
  std::size_t shared_bytes_ = 0;
  cuda::DeviceBuffer<float> partial_;  // [groups x rows]
};

}  // namespace widehash::bench
