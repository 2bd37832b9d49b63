#pragma once

#include "cuda/device_context.hpp"

#include <widehash/optimizer.hpp>

#include <cstdint>

namespace widehash::cuda {

/// One step of every coordinate by the rules of update_rules.hpp, which the processor uses too: weights and states are read
/// and written once. States that the rule does not have are null. `regularise` is false for biases.
void update(const DeviceContext& context, const OptimizerSettings& settings, std::uint64_t step,
            bool regularise, std::uint64_t count, float* weights, const float* gradient, float* first,
            float* second);

/// z[i] = the z whose weight is weights[i] under n[i]: see Replica::anchor_ftrl.
void anchor_ftrl(const DeviceContext& context, const OptimizerSettings& settings, bool regularise,
                 std::uint64_t count, const float* weights, float* z, const float* n);

}  // namespace widehash::cuda
