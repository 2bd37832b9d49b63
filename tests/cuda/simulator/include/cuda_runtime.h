#pragma once

/// \file
/// Device code as ordinary C++: the words of the language, what a thread knows of itself, and the functions a kernel calls.

#include "../device_code.hpp"
#include "cuda_runtime_api.h"
#include "vector_types.h"

#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __grid_constant__
// The fibers of a block run on one thread, and blocks one after another.
#define __shared__ static thread_local

inline constexpr int warpSize = 32;
inline thread_local uint3 threadIdx{};
inline thread_local uint3 blockIdx{};
inline thread_local dim3 blockDim{};
inline thread_local dim3 gridDim{};

// Barriers and exchanges.

inline void __syncthreads() { simulator::block_barrier(0); }
inline int __syncthreads_count(int predicate) { return simulator::block_barrier(predicate != 0).count; }
inline int __syncthreads_or(int predicate) { return simulator::block_barrier(predicate != 0).count != 0; }
inline int __syncthreads_and(int predicate) {
  const auto votes = simulator::block_barrier(predicate != 0);
  return votes.count == votes.threads;
}
inline void __syncwarp(unsigned mask = 0xFFFFFFFFu) {
  simulator::warp_exchange(simulator::WarpCall::sync, mask, 0);
}
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
inline unsigned __activemask() { return simulator::active_mask(); }

namespace simulator {
template <class T>
T shuffle(unsigned mask, T value, int source) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  const WarpValues& values = warp_exchange(WarpCall::shuffle, mask, bits);
  const std::uint64_t taken = value_of_lane(values, source);
  std::memcpy(&value, &taken, sizeof value);
  return value;
}
}  // namespace simulator

template <class T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
  const int own = simulator::lane_id();
  return simulator::shuffle(mask, value, (own & ~(width - 1)) | (lane & (width - 1)));
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const int own = simulator::lane_id();
  const int lane = own - static_cast<int>(delta);
  return simulator::shuffle(mask, value, lane < (own & ~(width - 1)) ? own : lane);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const int own = simulator::lane_id();
  const int lane = own + static_cast<int>(delta);
  return simulator::shuffle(mask, value, lane > (own | (width - 1)) ? own : lane);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32) {
  const int own = simulator::lane_id();
  const int lane = own ^ lane_mask;
  return simulator::shuffle(mask, value, lane > (own | (width - 1)) ? own : lane);
}
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return simulator::votes(simulator::warp_exchange(simulator::WarpCall::vote, mask, predicate != 0));
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }
template <class T>
unsigned __match_any_sync(unsigned mask, T value) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return simulator::lanes_equal_to(simulator::warp_exchange(simulator::WarpCall::match, mask, bits), bits);
}
inline unsigned __reduce_add_sync(unsigned mask, unsigned value) {
  return static_cast<unsigned>(
      simulator::sum_of_lanes(simulator::warp_exchange(simulator::WarpCall::reduce, mask, value)));
}

// Atomics: one fiber runs at a time.

namespace simulator {
template <class T, class Change>
T change(T* at, Change&& changed) {
  const T old = *at;
  *at = changed(old);
  return old;
}
}  // namespace simulator
template <class T>
T atomicAdd(T* at, std::type_identity_t<T> value) {
  return simulator::change(at, [&](T old) { return static_cast<T>(old + value); });
}
template <class T>
T atomicAdd_block(T* at, std::type_identity_t<T> value) {
  return atomicAdd(at, value);
}
template <class T>
T atomicMax(T* at, std::type_identity_t<T> value) {
  return simulator::change(at, [&](T old) { return old > value ? old : value; });
}
template <class T>
T atomicMin(T* at, std::type_identity_t<T> value) {
  return simulator::change(at, [&](T old) { return old < value ? old : value; });
}
template <class T>
T atomicOr(T* at, std::type_identity_t<T> value) {
  return simulator::change(at, [&](T old) { return old | value; });
}
template <class T>
T atomicAnd(T* at, std::type_identity_t<T> value) {
  return simulator::change(at, [&](T old) { return old & value; });
}
template <class T>
T atomicExch(T* at, std::type_identity_t<T> value) {
  return simulator::change(at, [&](T) { return value; });
}
template <class T>
T atomicCAS(T* at, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  return simulator::change(at, [&](T old) { return old == expected ? value : old; });
}

// Loads, bits and arithmetic.

template <class T>
T __ldg(const T* at) {
  simulator::check_read(at, sizeof *at);
  return *at;
}
template <class T>
T __ldcs(const T* at) {
  return *at;
}
template <class T>
T __ldcg(const T* at) {
  return *at;
}
template <class T>
void __stcs(T* at, std::type_identity_t<T> value) {
  *at = value;
}
template <class T>
void __stcg(T* at, std::type_identity_t<T> value) {
  *at = value;
}

inline long long clock64() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
inline int __popc(unsigned value) { return std::popcount(value); }
inline int __popcll(unsigned long long value) { return std::popcount(value); }
inline int __clz(int value) { return std::countl_zero(static_cast<unsigned>(value)); }
inline int __clzll(long long value) { return std::countl_zero(static_cast<unsigned long long>(value)); }
inline int __ffs(int value) { return value == 0 ? 0 : std::countr_zero(static_cast<unsigned>(value)) + 1; }
inline int __ffsll(long long value) {
  return value == 0 ? 0 : std::countr_zero(static_cast<unsigned long long>(value)) + 1;
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(a) * b) >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<unsigned long long>((static_cast<Wide>(a) * b) >> 64);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>(((static_cast<std::uint64_t>(high) << 32) | low) >> (shift & 31));
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((((static_cast<std::uint64_t>(high) << 32) | low) << (shift & 31)) >> 32);
}
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
  const std::uint64_t bytes = (static_cast<std::uint64_t>(high) << 32) | low;
  unsigned result = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const unsigned which = (selector >> (4 * k)) & 7;
    result |= static_cast<unsigned>((bytes >> (8 * which)) & 0xFF) << (8 * k);
  }
  return result;
}
inline int __float_as_int(float value) { return std::bit_cast<int>(value); }
inline unsigned __float_as_uint(float value) { return std::bit_cast<unsigned>(value); }
inline float __int_as_float(int value) { return std::bit_cast<float>(value); }
inline float __uint_as_float(unsigned value) { return std::bit_cast<float>(value); }
inline long long __double_as_longlong(double value) { return std::bit_cast<long long>(value); }
inline double __longlong_as_double(long long value) { return std::bit_cast<double>(value); }

inline float rsqrtf(float value) { return 1.0f / std::sqrt(value); }
inline double rsqrt(double value) { return 1.0 / std::sqrt(value); }
inline float __expf(float value) { return std::exp(value); }
inline float __logf(float value) { return std::log(value); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fsqrt_rn(float value) { return std::sqrt(value); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline long long __float2ll_rn(float value) { return std::llrint(value); }
inline long long __double2ll_rn(double value) { return std::llrint(value); }
inline int __float2int_rn(float value) { return static_cast<int>(std::lrint(value)); }
inline float __ll2float_rn(long long value) { return static_cast<float>(value); }
inline double __ll2double_rn(long long value) { return static_cast<double>(value); }
inline float __int2float_rn(int value) { return static_cast<float>(value); }

template <class T>
constexpr T min(T a, std::type_identity_t<T> b) {
  return b < a ? b : a;
}
template <class T>
constexpr T max(T a, std::type_identity_t<T> b) {
  return a < b ? b : a;
}

// The toolkit takes kernels themselves where its C interface takes addresses.

template <class... P>
cudaError_t cudaFuncSetAttribute(void (*kernel)(P...), cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}
template <class... P>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void (*kernel)(P...),
                                                          int block_threads, std::size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, reinterpret_cast<const void*>(kernel),
                                                       block_threads, shared_bytes);
}
template <class T>
cudaError_t cudaMalloc(T** pointer, std::size_t bytes) {
  return cudaMalloc(reinterpret_cast<void**>(pointer), bytes);
}
