// Codes and buckets computed without a division equal those of the division.
#include "claims.hpp"
#include "fuzz_bytes.hpp"
#include "vector_target.hpp"

#include <widehash/code.hpp>
#include <widehash/hash_values.hpp>
#include <widehash/internal/bucket_reducer.hpp>

#include <cstdint>
#include <vector>

using namespace widehash;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::FuzzBytes input(data, size);
  fuzz::choose_vector_target(input.byte());
  const std::size_t num_features = 1 + input.byte() % 12;
  std::vector<std::uint32_t> widths;
  for (std::size_t j = 0; j < num_features; ++j)
    widths.push_back(1 + std::uint32_t{input.take<std::uint16_t>()});
  const auto buckets = std::max<std::uint32_t>(1, input.take<std::uint32_t>());
  const std::size_t hash_stride = whole_groups(num_features);
  const std::size_t code_stride = 4 * num_features;
  std::vector<std::uint64_t> hashes;
  while (!input.empty() || hashes.empty()) {
    for (std::size_t j = 0; j < hash_stride; ++j) {
      hashes.push_back(j < num_features ? input.take<std::uint64_t>() : 0);
    }
  }
  const std::size_t num_rows = hashes.size() / hash_stride;
  std::vector<std::uint16_t> codes(num_rows * code_stride);
  BucketReducer(widths).reduce(hashes.data(), hash_stride, num_rows, codes.data(), code_stride);
  const BucketRemainder remainder(buckets);
  for (std::size_t row = 0; row < num_rows; ++row) {
    for (std::size_t j = 0; j < num_features; ++j) {
      const std::uint64_t hash = hashes[row * hash_stride + j];
      const Buckets expected = four_split(hash, widths[j]);
      for (std::size_t k = 0; k < 4; ++k) {
        fuzz::require(codes[row * code_stride + 4 * j + k] == expected[k],
                      "a code is the split modulo the width");
      }
      fuzz::require(remainder(hash) == one_hot(hash, buckets), "a bucket is the hash modulo the buckets");
    }
  }
  return 0;
}
