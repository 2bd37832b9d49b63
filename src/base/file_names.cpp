#include <widehash/internal/file_names.hpp>

#include <fmt/format.h>

namespace widehash {

std::string shard_name(std::uint64_t input, std::uint64_t block) {
  return fmt::format("part-{:05}-{:06}.shard", input, block);
}

}  // namespace widehash
