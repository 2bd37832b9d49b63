#pragma once

/// \file
/// Losses of one row with K raw outputs z (before the link) and K targets t, and their gradients:
///
///     logistic   L = sum_k softplus(z_k) - t_k z_k      dL/dz_k = sigmoid(z_k) - t_k     0 <= t_k <= 1
///                softplus(z) = max(z, 0) + ln(1 + exp(-|z|)); K > 1 is one against the rest
///     mse        L = 1/K sum_k (z_k - t_k)^2            dL/dz_k = 2/K (z_k - t_k)
///     softmax    L = T lse(z) - sum_k t_k z_k           dL/dz_k = T p_k - t_k            t_k >= 0
///                T = sum_k t_k
///                lse(z) = max z + ln sum_k exp(z_k - max z),  p = exp(z - lse(z))
///     poisson    L = 2 sum_k exp(z_k) - t_k - t_k (z_k - ln t_k)   dL/dz_k = 2 (exp(z_k) - t_k)   t_k >= 0
///                the deviance of counts; t ln t is 0 at 0
///
/// The link turns z into a prediction: sigmoid(z), z, p, exp(z). The weight of a row multiplies its loss and
/// its gradient. The loss of a batch is the weighted sum over its rows. Its gradient is divided by a
/// normaliser that the caller gives (gradient_normaliser() of the whole step), so that the slices of a batch
/// on several devices add up to the batch.

#include <widehash/target_units.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace widehash {

enum class LossKind { logistic, mse, softmax, poisson };

const char* to_string(LossKind kind) noexcept;
/// Throws ConfigError listing the known names.
LossKind parse_loss(std::string_view name);

/// Returns the weighted loss sum of a batch; `deltas` receives weight * dL/dz / normaliser. Shapes: outputs,
/// targets, deltas [rows x num_outputs]; weights [rows] or empty (all 1). `deltas` may be the same memory as
/// `outputs`; no other overlap is allowed. A normaliser of 0 (a step without weight) gives zero deltas. Rows
/// are summed in double, in fixed chunks and in order, so the bits are the same for any number of threads.
/// Throws ShapeError. Cost: O(rows * num_outputs).
template <class Real>
double loss_and_gradient(LossKind kind, std::uint32_t num_outputs, std::span<const Real> outputs,
                         std::span<const Real> targets, std::span<const float> weights, double normaliser,
                         std::span<Real> deltas);

/// Returns the same sum without computing the gradient.
template <class Real>
double loss_sum(LossKind kind, std::uint32_t num_outputs, std::span<const Real> outputs,
                std::span<const Real> targets, std::span<const float> weights);

/// Turns raw outputs into predictions, in place. Shape: [rows x num_outputs].
template <class Real>
void apply_link(LossKind kind, std::uint32_t num_outputs, std::span<Real> outputs);

/// Returns the sum of the row weights; `num_rows` if weights are empty.
double sum_of_weights(std::span<const float> weights, std::size_t num_rows) noexcept;

/// Throws DataError naming `batch_name` and the row (counted from 1 among those given) for a target that the
/// loss cannot take: not finite, outside [0, 1] for logistic, below 0 for poisson, not a class below
/// num_outputs for K > 1. Throws ConfigError for softmax with one output.
void check_targets(LossKind kind, std::uint32_t num_outputs, std::span<const float> targets,
                   std::string_view batch_name);

/// Expands the targets of a batch to a dense matrix [rows x num_outputs]: a number in `units` (num_outputs
/// 1), or a class number as a one-hot row, to which `units` does not apply. Throws what check_targets()
/// throws.
template <class Real>
void expand_targets(LossKind kind, std::uint32_t num_outputs, std::span<const float> targets,
                    std::string_view batch_name, std::vector<Real>& dense, const TargetUnits& units = {});

}  // namespace widehash
