#pragma once

/// \file
/// Alternative ways to compute the sums and the gradient of the first layer, which device_bench compares with
/// those of src/network/cuda. They support four-split features only. None belongs in the program: adding
/// floats in arbitrary order gives different bits every time.

#include "cuda/device_buffer.hpp"
#include "device_rows.hpp"
#include "slot_plan_copy.hpp"

#include <cstdint>

namespace widehash::bench {

/// gradient[c, :] += sum over rows that set c of deltas[row, :], by additions of single floats in device memory.
void add_floats(const cuda::DeviceContext& context, const cuda::DeviceRows& rows,
                const cuda::DevicePlan& plan, const float* deltas, std::uint32_t units, float* gradient);

/// The same by additions of four neighbouring floats, where the device
/// has them (sm_90 and later). `units` is a multiple of 4.
void add_float_vectors(const cuda::DeviceContext& context, const cuda::DeviceRows& rows,
                       const cuda::DevicePlan& plan, const float* deltas, std::uint32_t units,
                       float* gradient);

/// Like cuda::gather_sum, with weights in bfloat16: the upper halves of floats. `units` is a multiple of 8.
void gather_bfloat16(const cuda::DeviceContext& context, const cuda::DeviceRows& rows,
                     const cuda::DevicePlan& plan, const std::uint16_t* weights, std::uint32_t units,
                     float* sums);

/// Sums for one unit: a block copies the weights of some slots into
/// shared memory, then iterates over some of the rows.
class StagedGather {
 public:
  StagedGather(const cuda::DeviceContext& context, const cuda::SlotPlanCopy& plan);

  /// Like cuda::gather_sum.
  void compute(const cuda::DeviceRows& rows, const float* weights, float* sums);

  /// Slots [begin, begin + count) of codes and then byte codes, in the order of the plan.
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
