// The logistic loss and the sigmoid in double precision, eight rows at a time, with an exponential and a
// logarithm of their own. Those of the C library cost 50 cycles a row and round differently from one library
// to the next; these take about 12 and give the same bits everywhere.

#include "highway_targets.hpp"
#include "kernels.hpp"

#include <algorithm>
#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "loss_kernels.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace widehash::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t rows_at_once = 8;  // partial sums of the loss, whatever the width of a vector
const hn::CappedTag<double, rows_at_once> dd;
const hn::RebindToUnsigned<decltype(dd)> du;
const hn::Rebind<float, decltype(dd)> df;
using V = hn::Vec<decltype(dd)>;
constexpr std::size_t lanes = hn::MaxLanes(decltype(dd)());

HWY_INLINE V constant(double value) { return hn::Set(dd, value); }

/// exp(-a) for a >= 0, as 2^n exp(r) with |r| <= ln(2) / 2 and the Taylor series of exp up to r^12. Below
/// exp(-700) the result stays at that value: no probability is so small.
HWY_INLINE V exp_of_minus(V a) {
  const V x = hn::Neg(hn::Min(a, constant(700.0)));
  const V magic = constant(0x1.8p52);  // adding it rounds to an integer in the low bits
  const V shifted = hn::Add(hn::Mul(x, constant(0x1.71547652b82fep+0)), magic);
  const V n = hn::Sub(shifted, magic);
  // ln 2 in two parts. The first has so few bits that its product with n is exact.
  const V r = hn::Sub(hn::Sub(x, hn::Mul(n, constant(0x1.62e42fefa0000p-1))),
                      hn::Mul(n, constant(0x1.cf79abc9e3b3ap-40)));
  V sum = constant(1.0 / 479001600);
  for (const double factor : {1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
                              1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2, 1.0, 1.0}) {
    sum = hn::Add(hn::Mul(sum, r), constant(factor));
  }
  const auto exponent =
      hn::Add(hn::ShiftLeft<52>(hn::BitCast(du, shifted)), hn::Set(du, 0x3FF0000000000000u));
  return hn::Mul(sum, hn::BitCast(dd, exponent));
}

/// log(1 + e) for e in [0, 1], as 2 atanh(s) with s = e / (2 + e) <= 1/3. All terms have the same sign, so
/// small losses keep all their digits.
HWY_INLINE V log_of_one_plus(V e) {
  const V s = hn::Div(e, hn::Add(e, constant(2.0)));
  const V square = hn::Mul(s, s);
  V sum = constant(1.0 / 33);
  for (const double odd :
       {31.0, 29.0, 27.0, 25.0, 23.0, 21.0, 19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0}) {
    sum = hn::Add(hn::Mul(sum, square), constant(1.0 / odd));
  }
  return hn::Mul(hn::Add(s, s), sum);
}

/// sigmoid(z), given e = exp(-|z|).
HWY_INLINE V sigmoid_of(V z, V e) {
  const V top = hn::IfThenElse(hn::Ge(z, hn::Zero(dd)), constant(1.0), e);
  return hn::Div(top, hn::Add(constant(1.0), e));
}

HWY_INLINE V load_floats(const float* from) { return hn::PromoteTo(dd, hn::LoadU(df, from)); }

/// max(z, 0) - t z + log(1 + e), in the form that does not cancel when the output is confident and right.
HWY_INLINE V loss_of(V z, V t, V e) {
  const auto positive = hn::Ge(z, hn::Zero(dd));
  const V linear = hn::Mul(hn::IfThenElse(positive, hn::Sub(constant(1.0), t), hn::Neg(t)), z);
  return hn::Add(log_of_one_plus(e), linear);
}

double LogisticLoss(const float* outputs, const float* targets, const float* weights, std::size_t rows,
                    double scale, float* deltas) {
  alignas(64) std::array<double, rows_at_once> sums{};
  std::array<float, rows_at_once> z{};
  std::array<float, rows_at_once> t{};
  std::array<float, rows_at_once> w{};
  std::array<float, rows_at_once> d{};
  const auto some = [&](const float* zs, const float* ts, const float* ws, float* ds) HWY_ATTR {
    for (std::size_t at = 0; at < rows_at_once; at += lanes) {
      const V raw = load_floats(zs + at);
      const V target = load_floats(ts + at);
      const V weight = load_floats(ws + at);
      // The comparisons in exp_of_minus() may lose a NaN; the product with z brings it back.
      const V e = exp_of_minus(hn::Abs(raw));
      const V loss = hn::Mul(weight, loss_of(raw, target, e));
      hn::Store(hn::Add(hn::Load(dd, &sums[at]), loss), dd, &sums[at]);
      if (ds == nullptr) continue;
      const V error = hn::Sub(sigmoid_of(raw, e), target);
      hn::StoreU(hn::DemoteTo(df, hn::Mul(hn::Mul(weight, constant(scale)), error)), df, ds + at);
    }
  };
  std::size_t row = 0;
  std::fill(w.begin(), w.end(), 1.0f);
  for (; row + rows_at_once <= rows; row += rows_at_once) {
    some(outputs + row, targets + row, weights == nullptr ? w.data() : weights + row,
         deltas == nullptr ? nullptr : deltas + row);
  }
  if (row < rows) {
    // Fills up the last rows with rows of weight 0.
    std::fill(w.begin(), w.end(), 0.0f);
    for (std::size_t i = 0; row + i < rows; ++i) {
      z[i] = outputs[row + i];
      t[i] = targets[row + i];
      w[i] = weights == nullptr ? 1.0f : weights[row + i];
    }
    some(z.data(), t.data(), w.data(), d.data());
    for (std::size_t i = 0; deltas != nullptr && row + i < rows; ++i) deltas[row + i] = d[i];
  }
  for (std::size_t count = rows_at_once; count > 1; count /= 2) {
    for (std::size_t i = 0; i < count / 2; ++i) sums[i] += sums[i + count / 2];
  }
  return sums[0];
}

void SigmoidValues(float* values, std::size_t count) {
  const auto some = [](float* at) HWY_ATTR {
    const V z = load_floats(at);
    const V result = sigmoid_of(z, exp_of_minus(hn::Abs(z)));
    // A NaN stays NaN.
    hn::StoreU(hn::DemoteTo(df, hn::IfThenElse(hn::Eq(z, z), result, z)), df, at);
  };
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) some(values + i);
  if (i < count) {
    std::array<float, lanes> last{};
    std::copy(values + i, values + count, last.begin());
    some(last.data());
    std::copy_n(last.begin(), count - i, values + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace widehash::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace widehash::detail {

HWY_EXPORT(LogisticLoss);
HWY_EXPORT(SigmoidValues);

double logistic_loss(const float* outputs, const float* targets, const float* weights, std::size_t rows,
                     double scale, float* deltas) noexcept {
  return HWY_DYNAMIC_DISPATCH(LogisticLoss)(outputs, targets, weights, rows, scale, deltas);
}

void sigmoid_values(std::span<float> values) noexcept {
  HWY_DYNAMIC_DISPATCH(SigmoidValues)(values.data(), values.size());
}

}  // namespace widehash::detail

#endif  // HWY_ONCE
