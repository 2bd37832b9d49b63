#include "grids.hpp"
#include "update.hpp"
#include "update_rules.hpp"

#include <launch.cuh>

namespace widehash::cuda {
namespace {

template <class Rule>
__global__ void update_kernel(Rule rule, std::uint64_t count, float* weights, const float* gradient,
                              float* first, float* second) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step)
    rule(weights[i], gradient[i], first == nullptr ? nullptr : first + i,
         second == nullptr ? nullptr : second + i);
}

__global__ void anchor_kernel(detail::Ftrl<float> rule, std::uint64_t count, const float* weights, float* z,
                              const float* n) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step)
    z[i] = rule.anchor(weights[i], z[i], n[i]);
}

}  // namespace

void update(const DeviceContext& context, const OptimizerSettings& settings, std::uint64_t step,
            bool regularise, std::uint64_t count, float* weights, const float* gradient, float* first,
            float* second) {
  detail::with_rule<float>(settings, step, regularise, [&](const auto& rule) {
    launch(update_kernel<std::remove_cvref_t<decltype(rule)>>, strided_grid(context, count),
           dim3(block_threads), 0, context.stream().get(), rule, count, weights, gradient, first, second);
  });
}

void anchor_ftrl(const DeviceContext& context, const OptimizerSettings& settings, bool regularise,
                 std::uint64_t count, const float* weights, float* z, const float* n) {
  launch(anchor_kernel, strided_grid(context, count), dim3(block_threads), 0, context.stream().get(),
         detail::Ftrl<float>(settings, 0, regularise), count, weights, z, n);
}

}  // namespace widehash::cuda
