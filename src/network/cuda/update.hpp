#pragma once

#include "cuda/device_context.hpp"
#include "step_status.hpp"

#include <widehash/optimizer.hpp>

#include <cstdint>
#include <span>

namespace widehash::cuda {

/// Adjacent coordinates. States that the rule does not have are null.
struct UpdateRun {
  std::uint64_t size = 0;
  bool regularise = true;  // false for biases
  float* weights = nullptr;
  float* first = nullptr;
  float* second = nullptr;
  const float* gradient = nullptr;     // either as it is,
  unsigned long long* sums = nullptr;  // or in fixed point; 0 afterwards
};

/// Does one step at every coordinate of the runs, by the rules of update_rules.hpp, which the CPU uses too.
/// Weights and states are read and written once. If the status says that the step is refused, nothing changes;
/// if sums could overflow a float, the status says so from then on. `term_bits` is that of the sums. The
/// resulting status also goes to `told`, in pinned memory of the host: a copy after the kernel would hold up
/// the next one.
void update(const DeviceContext& context, const OptimizerSettings& settings, std::uint64_t step,
            std::span<const UpdateRun> runs, int term_bits, StepStatus* status, StepStatus* told);

/// Sets z[i] to the z whose weight is weights[i] under n[i]; see Replica::anchor_ftrl.
void anchor_ftrl(const DeviceContext& context, const OptimizerSettings& settings, bool regularise,
                 std::uint64_t count, const float* weights, float* z, const float* n);

}  // namespace widehash::cuda
