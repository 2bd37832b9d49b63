#include "fixed_point.cuh"
#include "grids.hpp"
#include "update.hpp"
#include "update_rules.hpp"

#include <algorithm>

#include <launch.cuh>

namespace widehash::cuda {
namespace {

/// The runs of one launch, in chunks of as many coordinates as a block has threads.
struct UpdateRuns {
  static constexpr unsigned most = 16;
  UpdateRun runs[most];
  std::uint64_t end_chunk[most] = {};  // of this run and those before it
  unsigned count = 0;
  bool has_sums = false;  // in this launch or another
};

/// Whether nothing may change. Sums that do not fit are found here, by all blocks alike.
__device__ bool is_refused(const UpdateRuns& all, int term_bits, StepStatus* status) {
  const bool fits = !all.has_sums || FixedPoint(*status, term_bits).are_sums_finite();
  if (!fits && blockIdx.x == 0 && threadIdx.x == 0) status->gradient_not_finite = 1;
  return !fits || status->outputs_not_finite != 0 || status->gradient_not_finite != 0;
}

/// `regularised`: the rule of the runs that are regularised. `keeps_rest`: the rule leaves a coordinate without a
/// gradient unchanged, so it need not be read.
template <class Rule>
__global__ void __launch_bounds__(block_threads, 8)
    update_kernel(Rule regularised, bool keeps_rest, UpdateRuns all, int term_bits, StepStatus* status,
                  StepStatus* told) {
  const bool refused = is_refused(all, term_bits, status);
  if (told != nullptr && blockIdx.x == 0 && threadIdx.x == 0) *told = *status;
  const double inverse_scale = all.has_sums ? FixedPoint(*status, term_bits).inverse_scale() : 1.0;
  unsigned r = 0;
  std::uint64_t first_chunk = 0;  // of run r
  for (std::uint64_t chunk = blockIdx.x; chunk < all.end_chunk[all.count - 1]; chunk += gridDim.x) {
    for (; chunk >= all.end_chunk[r]; ++r) first_chunk = all.end_chunk[r];
    const UpdateRun& run = all.runs[r];
    const std::uint64_t i = (chunk - first_chunk) * blockDim.x + threadIdx.x;
    if (i >= run.size) continue;
    float gradient = 0;
    if (run.sums == nullptr) {
      gradient = run.gradient[i];
    } else if (const unsigned long long sum = run.sums[i]; sum != 0) {
      gradient = FixedPoint::to_float(sum, inverse_scale);
      run.sums[i] = 0;
    }
    if (refused || (keeps_rest && gradient == 0)) continue;
    // A copy: with a choice of two parameters, ptxas compares for every field which of them to load (Adam: 424
    // instructions a coordinate instead of 154, sm_90).
    Rule rule = regularised;
    if (!run.regularise) rule.l1 = rule.l2 = 0;
    // Loaded together and stored together: the compiler does not know that the arrays do not overlap.
    float weight = run.weights[i];
    float first = run.first == nullptr ? 0.0f : run.first[i];
    float second = run.second == nullptr ? 0.0f : run.second[i];
    rule(weight, gradient, &first, &second);
    run.weights[i] = weight;
    if (run.first != nullptr) run.first[i] = first;
    if (run.second != nullptr) run.second[i] = second;
  }
}

__global__ void anchor_kernel(detail::Ftrl<float> rule, std::uint64_t count, const float* weights, float* z,
                              const float* n) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step)
    z[i] = rule.anchor(weights[i], z[i], n[i]);
}

void launch_update(const DeviceContext& context, const OptimizerSettings& settings, std::uint64_t step,
                   const UpdateRuns& runs, int term_bits, StepStatus* status, StepStatus* told) {
  const std::uint64_t values = std::max<std::uint64_t>(runs.end_chunk[runs.count - 1], 1) * block_threads;
  detail::with_rule<float>(settings, step, true, [&](const auto& regularised) {
    using Rule = std::remove_cvref_t<decltype(regularised)>;
    launch(update_kernel<Rule>, strided_grid(context, values), dim3(block_threads), 0, context.stream().get(),
           regularised, !needs_dense_update(settings), runs, term_bits, status, told);
  });
}

}  // namespace

void update(const DeviceContext& context, const OptimizerSettings& settings, std::uint64_t step,
            std::span<const UpdateRun> runs, int term_bits, StepStatus* status, StepStatus* told) {
  // The whole step is refused, whichever launch the sums are in.
  const bool has_sums = std::ranges::any_of(runs, [](const UpdateRun& run) { return run.sums != nullptr; });
  while (!runs.empty()) {
    UpdateRuns some;
    some.has_sums = has_sums;
    std::uint64_t chunks = 0;
    const std::size_t count = std::min<std::size_t>(runs.size(), UpdateRuns::most);
    for (const UpdateRun& run : runs.first(count)) {
      chunks += blocks_for(run.size, block_threads);
      some.runs[some.count] = run;
      some.end_chunk[some.count++] = chunks;
    }
    runs = runs.subspan(count);
    // The last launch has at least one block, so that the status reaches the host.
    if (chunks > 0 || runs.empty())
      launch_update(context, settings, step, some, term_bits, status, runs.empty() ? told : nullptr);
  }
}

void anchor_ftrl(const DeviceContext& context, const OptimizerSettings& settings, bool regularise,
                 std::uint64_t count, const float* weights, float* z, const float* n) {
  launch(anchor_kernel, strided_grid(context, count), dim3(block_threads), 0, context.stream().get(),
         detail::Ftrl<float>(settings, 0, regularise), count, weights, z, n);
}

}  // namespace widehash::cuda
