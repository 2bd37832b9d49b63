#pragma once

#include "cuda/device_context.hpp"
#include "step_status.hpp"

#include <widehash/optimizer.hpp>

#include <cstdint>
#include <span>

namespace widehash::cuda {

/// Coordinates side by side. States that the rule does not have are null.
struct UpdateRun {
  std::uint64_t size = 0;
  bool regularise = true;  // not biases
  float* weights = nullptr;
  float* first = nullptr;
  float* second = nullptr;
  const float* gradient = nullptr;     // one of the two: as it is,
  unsigned long long* sums = nullptr;  // or in fixed point; 0 afterwards
};

/// One step of every coordinate of the runs by the rules of update_rules.hpp, which the processor uses too:
/// weights and states are read and written once. Where the status says that a step is refused, nothing moves;
/// where sums could overflow a float, it says so from then on. `term_bits` is that of the sums. The status as
/// it is then also goes to `told`, in pinned memory of the host: a copy behind the kernel would hold up the
/// next one.
void update(const DeviceContext& context, const OptimizerSettings& settings, std::uint64_t step,
            std::span<const UpdateRun> runs, int term_bits, StepStatus* status, StepStatus* told);

/// z[i] = the z whose weight is weights[i] under n[i]: see Replica::anchor_ftrl.
void anchor_ftrl(const DeviceContext& context, const OptimizerSettings& settings, bool regularise,
                 std::uint64_t count, const float* weights, float* z, const float* n);

}  // namespace widehash::cuda
