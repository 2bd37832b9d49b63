#pragma once

/// \file
/// The coordinates of a network on a device, in the form that update() takes.

#include "device_tensors.hpp"
#include "slot_plan_copy.hpp"
#include "update.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace widehash::cuda {

/// Coordinates [begin, begin + size) of the first layer's weights, without a gradient yet. The states begin
/// at coordinate `first_state` of the weights.
UpdateRun first_layer_run(const DeviceTensors& parameters, std::span<const DeviceTensors> states,
                          std::uint64_t first_state, std::uint64_t begin, std::uint64_t size);

/// The whole first layer, with its sums in fixed point, and with `number_gradient` [numbers x units] for
/// columns of numbers, in the order of the plan.
std::vector<UpdateRun> first_layer_runs(const DeviceTensors& parameters,
                                        std::span<const DeviceTensors> states, std::uint32_t units,
                                        const SlotPlanCopy& plan, unsigned long long* sums,
                                        const float* number_gradient);

/// Appends all other tensors to `runs`.
void add_tail_runs(const DeviceTensors& parameters, std::span<const DeviceTensors> states,
                   std::span<const TailTensor> tail, const DeviceTensors& gradient,
                   std::vector<UpdateRun>& runs);

}  // namespace widehash::cuda
