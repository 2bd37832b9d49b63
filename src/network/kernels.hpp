#pragma once

/// \file
/// The vector kernels of training and prediction, float32. Each is compiled once for every instruction set that Highway
/// knows here and chosen when the program runs. All give the same bits on every one of them: products and sums are never
/// fused, and every sum runs in an order that does not depend on the width of a vector. The plain code they stand for lies
/// beside their callers and is what the tests hold them against.

#include <widehash/optimizer.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace widehash::detail {

struct SlotPlan;

/// Partial sums of a gather with one unit: the code at place i of a plan goes to sum i mod 16, and the sums are added
/// pairwise (i and i + 8, then i + 4, ...). As many as the widest vector has lanes.
inline constexpr std::size_t num_partial_sums = 16;

/// The code slots of a plan, neighbours in a row, as arrays that a vector can load. Arrays are padded to whole vectors.
struct CodeRun {
  std::uint32_t first_slot = 0;
  std::uint32_t num_slots = 0;
  bool checked = false;                // some code may stand for nothing or for a column out of the range
  std::uint32_t num_columns = 0;       // of the range
  std::vector<std::uint32_t> shifts;   // column of the range = code + shift, modulo 2^32
  std::vector<std::uint32_t> absents;  // the code that stands for nothing, or a number that is no code
};

/// The run of a plan's code slots; without slots where they are not neighbours or are none.
CodeRun make_code_run(const SlotPlan& plan);

/// Rows of u16 codes: those of row r begin at codes[r * stride].
struct CodeRows {
  std::span<const std::uint16_t> codes;
  std::size_t stride = 0;
};

/// sums[r] = sum of the run's weights of row r, for rows [begin, end). Shapes: weights [columns].
void gather_codes(const CodeRun& run, const CodeRows& rows, const float* weights, std::size_t begin, std::size_t end,
                  float* sums);

/// sums[r, :] = the same for `units` units, slots added in order. Shapes: weights [columns x units].
void gather_codes_units(const CodeRun& run, const CodeRows& rows, const float* weights, std::size_t units,
                        std::size_t begin, std::size_t end, float* sums);

/// gradient[column, :] += deltas[r, :] for the run's columns of each row, rows in order.
void scatter_codes_units(const CodeRun& run, const CodeRows& rows, const float* deltas, std::size_t units,
                         std::size_t begin, std::size_t end, float* gradient);

/// One step of the rule at every coordinate; `settings.learning_rate` is that of the step.
void update_values(const OptimizerSettings& settings, std::uint64_t step, bool regularise, std::span<float> weights,
                   std::span<const float> gradient, StateSpans<float> states) noexcept;

/// Weighted sum of the logistic losses of rows with one output, and scale * weight * dL/dz where `deltas` is not null.
/// `weights` may be null. Accurate to a few units in the last place of a double.
double logistic_loss(const float* outputs, const float* targets, const float* weights, std::size_t rows, double scale,
                     float* deltas) noexcept;

/// values = sigmoid(values)
void sigmoid_values(std::span<float> values) noexcept;

}  // namespace widehash::detail
