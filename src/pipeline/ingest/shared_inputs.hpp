#pragma once

/// \file
/// The inputs of a run that its ranks share.

#include "input_blocks.hpp"

#include <widehash/communicator.hpp>
#include <widehash/input.hpp>
#include <widehash/internal/read_places.hpp>

#include <string>
#include <vector>

namespace widehash {

/// As expand_inputs(). Also throws ConfigError for an input that can be read only once where there are
/// several ranks.
std::vector<Input> shared_inputs(const Communicator& communicator, const std::vector<std::string>& patterns);

/// The files that are read.
ReadPlaces places_of(const std::vector<Input>& inputs);

/// The share of this rank.
inline RankShare share_of(const Communicator& communicator) {
  return {static_cast<std::uint64_t>(communicator.rank()), static_cast<std::uint64_t>(communicator.size())};
}

}  // namespace widehash
