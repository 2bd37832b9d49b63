#include "piece_sums.hpp"

#include "cuda_test.hpp"
#include "on_device.hpp"
#include "parallel/sum_by_pairs.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace widehash::cuda {
namespace {

class PieceSums : public CudaTest {};

/// Numbers of very different sizes, so that another order of additions gives other bits, with zeros of both
/// signs among them.
std::vector<float> numbers(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<float> values(count);
  for (float& value : values) {
    value = std::ldexp(static_cast<float>(random() % 1000) - 500, static_cast<int>(random() % 20)) / 3;
    if (random() % 8 == 0) value = std::copysign(0.0f, value);
  }
  return values;
}

/// The bits of the values: sums are compared as bits, because 0 and -0 are equal.
std::vector<std::uint32_t> bits_of(std::span<const float> values) {
  std::vector<std::uint32_t> bits;
  for (const float value : values) bits.push_back(std::bit_cast<std::uint32_t>(value));
  return bits;
}

TEST_F(PieceSums, AreThoseOfTheDefinitionForAnyNumberOfParts) {
  constexpr std::size_t count = 300;
  constexpr std::size_t stride = 301;
  const DeviceContext context(0);
  for (std::size_t num_parts = 1; num_parts <= 70; ++num_parts) {
    const std::size_t own_part = num_parts / 3;
    const auto parts = numbers(num_parts * stride, num_parts);
    const auto own = numbers(count, 1000 + num_parts);
    const auto on_gpu = on_device(context, parts);
    const auto own_on_gpu = on_device(context, own);
    // In place, as a rank adds up its own part.
    const SumPiece piece{own_on_gpu.data(), on_gpu.data(), own_on_gpu.data(), count};
    add_pieces({&piece, 1}, num_parts, own_part, stride, context.stream());
    const auto expected = sums_by_pairs<float>(num_parts, count, [&](std::size_t r) {
      return r == own_part ? std::span(own) : std::span(parts).subspan(r * stride, count);
    });
    EXPECT_EQ(bits_of(on_host(context, own_on_gpu)), bits_of(expected)) << num_parts << " parts";
  }
}

TEST_F(PieceSums, PiecesOfAnyLengthAreAddedEachByItself) {
  // More pieces than one launch takes, including empty ones.
  constexpr std::size_t num_pieces = 150;
  constexpr std::size_t num_parts = 3;
  const DeviceContext context(0);
  std::vector<std::size_t> offsets{0};
  for (std::size_t p = 0; p < num_pieces; ++p) offsets.push_back(offsets.back() + (p * 37) % 11);
  const std::size_t stride = offsets.back();
  const auto parts = numbers(num_parts * stride, 1);
  const auto on_gpu = on_device(context, parts);
  const DeviceBuffer<float> sums(context, stride, "sums");
  std::vector<SumPiece> pieces;
  for (std::size_t p = 0; p < num_pieces; ++p) {
    pieces.push_back({on_gpu.data() + stride + offsets[p], on_gpu.data() + offsets[p],
                      sums.data() + offsets[p], offsets[p + 1] - offsets[p]});
  }
  add_pieces(pieces, num_parts, 1, stride, context.stream());
  const auto expected = sums_by_pairs<float>(
      num_parts, stride, [&](std::size_t r) { return std::span(parts).subspan(r * stride, stride); });
  EXPECT_EQ(on_host(context, sums), expected);
}

TEST_F(PieceSums, NothingIsAddedWhereThereIsNothing) {
  const DeviceContext context(0);
  const auto before = numbers(50, 1);
  const auto parts = on_device(context, numbers(100, 2));
  const auto sums = on_device(context, before);
  add_pieces({}, 2, 0, 50, context.stream());
  const SumPiece empty{parts.data() + 50, parts.data(), sums.data(), 0};
  add_pieces({&empty, 1}, 2, 0, 50, context.stream());
  EXPECT_EQ(on_host(context, sums), before);
}

}  // namespace
}  // namespace widehash::cuda
