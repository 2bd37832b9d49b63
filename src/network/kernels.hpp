#pragma once

/// \file
/// The vector kernels of training and prediction, float32. Each is compiled once for every instruction set
/// that Highway knows here, and the best one is chosen at run time. All instruction sets give the same bits:
/// products and sums are never fused, and the order of every sum does not depend on the vector width. The
/// plain code that the kernels replace is beside their callers, and the tests compare the kernels with it.

#include <widehash/code_batch.hpp>
#include <widehash/optimizer.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace widehash::detail {

struct SlotPlan;

/// Partial sums of a gather with one unit, as many as the widest vector has lanes. Of n codes of one size,
/// the first n mod 16 go to the first partial sums, then each group of sixteen goes to all of them: so every
/// load of sixteen codes stays within the row. Codes of 16 bits come first, then those of 8 bits. In the end
/// the partial sums are added pairwise: i and i + 8, then i and i + 4, ...
inline constexpr std::size_t num_partial_sums = 16;
constexpr std::size_t partial_sum_of(std::size_t place, std::size_t num_codes) noexcept {
  const std::size_t odd = num_codes % num_partial_sums;
  return place < odd ? place : (place - odd) % num_partial_sums;
}

/// The slots of a plan that have codes of one size and are adjacent in a row, as arrays that a vector can
/// load. The arrays have at least num_partial_sums elements.
struct SlotRun {
  std::uint32_t first_slot = 0;
  std::uint32_t num_slots = 0;
  std::vector<std::uint32_t> shifts;   // column of the range = code + shift, modulo 2^32
  std::vector<std::uint32_t> absents;  // the code that stands for no value, or a number that no code has
};

/// The code slots of a plan.
struct CodeRun {
  SlotRun wide;                   // of 16 bits
  SlotRun bytes;                  // of 8 bits
  bool checked = false;           // some code may stand for no value or for a column outside the range
  std::uint32_t num_columns = 0;  // of the range

  bool is_empty() const noexcept { return wide.num_slots == 0 && bytes.num_slots == 0; }
};

/// Makes the run of the code slots of a plan; empty if the slots of a size are not adjacent, or if there are
/// none.
CodeRun make_code_run(const SlotPlan& plan);

/// The location of the codes of a batch's rows.
struct CodeRows {
  explicit CodeRows(const CodeBatchView& batch) noexcept
      : codes(batch.codes.data()),
        stride(batch.layout->code_stride),
        wide_codes(batch.layout->wide_codes),
        scattered(batch.scattered_codes.empty() ? nullptr : batch.scattered_codes.data()),
        num_rows(batch.num_rows) {}

  const std::uint16_t* row(std::size_t row) const noexcept {
    return scattered == nullptr ? codes + row * stride : scattered[row];
  }
  /// The codes of row `at` that `run` refers to.
  const std::uint16_t* wide(const CodeRun& run, std::size_t at) const noexcept {
    return row(at) + run.wide.first_slot;
  }
  const std::uint8_t* bytes(const CodeRun& run, std::size_t at) const noexcept {
    return reinterpret_cast<const std::uint8_t*>(row(at) + wide_codes) + run.bytes.first_slot;
  }

  const std::uint16_t* codes;
  std::size_t stride;
  std::size_t wide_codes;  // words of a row before its codes of 8 bits
  const std::uint16_t* const* scattered;
  std::size_t num_rows;
};

/// sums[r] = sum of the weights of the run's codes in row r, for rows [begin, end). Shapes: weights
/// [columns].
void gather_codes(const CodeRun& run, const CodeRows& rows, const float* weights, std::size_t begin,
                  std::size_t end, float* sums);

/// sums[r, :] = the same for `units` units, with slots added in order. Shapes: weights [columns x units].
void gather_codes_units(const CodeRun& run, const CodeRows& rows, const float* weights, std::size_t units,
                        std::size_t begin, std::size_t end, float* sums);

/// gradient[column, :] += deltas[r, :] for the columns of the run's codes in each row, rows in order.
void scatter_codes_units(const CodeRun& run, const CodeRows& rows, const float* deltas, std::size_t units,
                         std::size_t begin, std::size_t end, float* gradient);

/// Applies one step of the rule to every coordinate; `settings.learning_rate` is that of the step.
void update_values(const OptimizerSettings& settings, std::uint64_t step, bool regularise,
                   std::span<float> weights, std::span<const float> gradient,
                   StateSpans<float> states) noexcept;

/// The same for the rows of `units` values at `positions`.
void update_value_rows(const OptimizerSettings& settings, std::uint64_t step, bool regularise,
                       std::size_t units, std::span<const std::uint32_t> positions, std::span<float> weights,
                       std::span<const float> gradient, StateSpans<float> states) noexcept;

/// Returns the weighted sum of the logistic losses of rows with one output. Sets `deltas` to scale * weight *
/// dL/dz unless it is null. `weights` may be null. Accurate to a few units in the last place of a double.
double logistic_loss(const float* outputs, const float* targets, const float* weights, std::size_t rows,
                     double scale, float* deltas) noexcept;

/// values = sigmoid(values)
void sigmoid_values(std::span<float> values) noexcept;

}  // namespace widehash::detail
