#pragma once

/// \file
/// What a run reads, and how: everything that is needed to open one of its inputs.

#include "encode/row_rules.hpp"

#include <widehash/input.hpp>
#include <widehash/schema.hpp>
#include <widehash/stop.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace widehash {

/// The share of one rank among `size`.
struct RankShare {
  std::uint64_t rank = 0;
  std::uint64_t size = 1;

  /// Whether block `block` of input `input` is dealt to this rank. An input that is dealt as a whole is dealt
  /// as block 0.
  bool has(std::size_t input, std::uint64_t block) const noexcept { return (input + block) % size == rank; }
};

/// All inputs of a run, and how they are read. The referenced objects must outlive all users.
struct RunInputs {
  const Schema& schema;
  const RowRules& rules;
  const std::vector<Input>& inputs;
  std::uint64_t block_bytes = 0;
  bool needs_label = true;   // an input without the label field is an error
  bool allow_empty = false;  // an input without bytes, not even a header, has no rows and is no error
  RankShare share = {};
  const StopFlag* stop = nullptr;  // if not null, may ask the run to end early
};

}  // namespace widehash
