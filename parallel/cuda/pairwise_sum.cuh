#pragma once

namespace widehash::cuda {

/// value(0) + ... + value(count - 1), in the order of parallel/pairwise_sum.hpp. `count` is not 0.
template <class Value>
__device__ float pairwise_sum(unsigned count, const Value& value) {
  // Eight values are requested together. Missing values are replaced by -0, because x + -0 is x for every x.
  const auto sum_of_eight = [&](unsigned first) {
    float x[8];
    for (unsigned i = 0; i < 8; ++i) x[i] = first + i < count ? value(first + i) : -0.0f;
    return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
  };
  if (count <= 8) return sum_of_eight(0);

  // Counts the groups of eight in binary: a sum of 2^k groups waits at position k for the next sum of as
  // many.
  float waiting[29];
  const unsigned eights = (count - 1) / 8 + 1;
  for (unsigned done = 0; done < eights; ++done) {
    float sum = sum_of_eight(8 * done);
    unsigned k = 0;
    for (; ((done >> k) & 1) != 0; ++k) sum = waiting[k] + sum;
    waiting[k] = sum;
  }
  unsigned k = 0;
  while (((eights >> k) & 1) == 0) ++k;
  float sum = waiting[k];
  for (++k; eights >> k != 0; ++k) {
    if (((eights >> k) & 1) != 0) sum = waiting[k] + sum;
  }
  return sum;
}

}  // namespace widehash::cuda
