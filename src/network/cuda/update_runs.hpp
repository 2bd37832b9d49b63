#pragma once

/// \file
/// The coordinates of a network on a device as update() takes them.

#include "device_tensors.hpp"
#include "slot_plan_copy.hpp"
#include "update.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace widehash::cuda {

/// Coordinates [begin, begin + size) of the first layer's weights, without a gradient yet. States begin at
/// coordinate `first_state` of them.
UpdateRun first_layer_run(const DeviceTensors& parameters, std::span<const DeviceTensors> states,
                          std::uint64_t first_state, std::uint64_t begin, std::uint64_t size);

/// The first layer whole: by its sums in fixed point, and columns of numbers by `number_gradient` [numbers x
/// units], in the order of the plan.
std::vector<UpdateRun> first_layer_runs(const DeviceTensors& parameters,
                                        std::span<const DeviceTensors> states, std::uint32_t units,
                                        const SlotPlanCopy& plan, unsigned long long* sums,
                                        const float* number_gradient);

/// All other tensors, behind those of `runs`.
void add_tail_runs(const DeviceTensors& parameters, std::span<const DeviceTensors> states,
                   std::span<const TailTensor> tail, const DeviceTensors& gradient,
                   std::vector<UpdateRun>& runs);

}  // namespace widehash::cuda
