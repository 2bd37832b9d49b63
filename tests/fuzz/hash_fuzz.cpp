// Values hashed side by side in vectors have the hash of xxHash, whatever their neighbours are.
#include "claims.hpp"
#include "fuzz_bytes.hpp"
#include "vector_target.hpp"

#include <widehash/code.hpp>
#include <widehash/internal/hash_lanes.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <xxhash.h>

using namespace widehash;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::FuzzBytes input(data, size);
  fuzz::choose_vector_target(input.byte());
  const std::size_t values_per_row = 1 + input.byte() % 20;
  const auto seed = static_cast<std::uint64_t>(static_cast<std::int8_t>(input.byte()));
  // One allocation of exactly this size, so that the sanitizer notices reads past the last value.
  const std::vector<char> bytes(input.rest().begin(), input.rest().end());
  const std::string_view all(bytes.data(), bytes.size());
  std::vector<std::string_view> values;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t length = static_cast<unsigned char>(all[at]) % 72;
    values.push_back(all.substr(at + 1, length));
    at += 1 + length;
  }
  HashLanes lanes;
  lanes.reshape((values.size() + values_per_row - 1) / values_per_row, values_per_row);
  for (std::size_t i = 0; i < values.size(); ++i) {
    lanes.set(lanes.at(i / values_per_row, i % values_per_row), values[i]);
  }
  lanes.hash_xxh64(seed);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t expected = XXH64(values[i].data(), values[i].size(), seed);
    fuzz::require(lanes.hashes()[lanes.at(i / values_per_row, i % values_per_row)] == expected,
                  "lanes hash as xxHash");
    fuzz::require(hash_xxh64(values[i], seed) == expected, "one value hashes as xxHash");
  }
  return 0;
}
