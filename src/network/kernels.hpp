#pragma once

/// \file
/// The vector kernels of training and prediction, float32. Each is compiled once for every instruction set
/// that Highway knows here and chosen when the program runs. All give the same bits on every one of them:
/// products and sums are never fused, and every sum runs in an order that does not depend on the width of a
/// vector. The plain code they stand for lies beside their callers and is what the tests hold them against.

#include <widehash/code_batch.hpp>
#include <widehash/optimizer.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace widehash::detail {

struct SlotPlan;

/// Partial sums of a gather with one unit, as many as the widest vector has lanes. Of n codes of one size the
/// first n mod 16 go to the first sums, then each sixteen to all of them in turn: so every load of sixteen
/// codes stays within the row. Codes of 16 bits come first, then those of 8. In the end sums are added
/// pairwise: i and i + 8, then i and i + 4, ...
inline constexpr std::size_t num_partial_sums = 16;
constexpr std::size_t partial_sum_of(std::size_t place, std::size_t num_codes) noexcept {
  const std::size_t odd = num_codes % num_partial_sums;
  return place < odd ? place : (place - odd) % num_partial_sums;
}

/// The slots of a plan with codes of one size, neighbours in a row, as arrays that a vector can load: at
/// least num_partial_sums long.
struct SlotRun {
  std::uint32_t first_slot = 0;
  std::uint32_t num_slots = 0;
  std::vector<std::uint32_t> shifts;   // column of the range = code + shift, modulo 2^32
  std::vector<std::uint32_t> absents;  // the code that stands for nothing, or a number that is no code
};

/// The code slots of a plan.
struct CodeRun {
  SlotRun wide;                   // of 16 bits
  SlotRun bytes;                  // of 8 bits
  bool checked = false;           // some code may stand for nothing or for a column out of the range
  std::uint32_t num_columns = 0;  // of the range

  bool is_empty() const noexcept { return wide.num_slots == 0 && bytes.num_slots == 0; }
};

/// The run of a plan's code slots; empty where those of a size are not neighbours, or there are none.
CodeRun make_code_run(const SlotPlan& plan);

/// Where the codes of the rows of a batch are.
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
  /// The codes of a row that a run names.
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

/// sums[r] = sum of the run's weights of row r, for rows [begin, end). Shapes: weights [columns].
void gather_codes(const CodeRun& run, const CodeRows& rows, const float* weights, std::size_t begin,
                  std::size_t end, float* sums);

/// sums[r, :] = the same for `units` units, slots added in order. Shapes: weights [columns x units].
void gather_codes_units(const CodeRun& run, const CodeRows& rows, const float* weights, std::size_t units,
                        std::size_t begin, std::size_t end, float* sums);

/// gradient[column, :] += deltas[r, :] for the run's columns of each row, rows in order.
void scatter_codes_units(const CodeRun& run, const CodeRows& rows, const float* deltas, std::size_t units,
                         std::size_t begin, std::size_t end, float* gradient);

/// One step of the rule at every coordinate; `settings.learning_rate` is that of the step.
void update_values(const OptimizerSettings& settings, std::uint64_t step, bool regularise,
                   std::span<float> weights, std::span<const float> gradient,
                   StateSpans<float> states) noexcept;

/// The same at the rows of `units` values that `positions` name.
void update_value_rows(const OptimizerSettings& settings, std::uint64_t step, bool regularise,
                       std::size_t units, std::span<const std::uint32_t> positions, std::span<float> weights,
                       std::span<const float> gradient, StateSpans<float> states) noexcept;

/// Weighted sum of the logistic losses of rows with one output, and scale * weight * dL/dz where `deltas` is
/// not null. `weights` may be null. Accurate to a few units in the last place of a double.
double logistic_loss(const float* outputs, const float* targets, const float* weights, std::size_t rows,
                     double scale, float* deltas) noexcept;

/// values = sigmoid(values)
void sigmoid_values(std::span<float> values) noexcept;

}  // namespace widehash::detail
