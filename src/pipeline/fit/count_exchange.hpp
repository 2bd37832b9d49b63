#pragma once

/// \file
/// How the counts of several ranks come together: each feature's table is written by one rank, and every rank
/// sends it what it has counted, in the order of TableBuilder::drain(), some at a time.

#include <widehash/communicator.hpp>
#include <widehash/internal/table_builder.hpp>

#include <cstddef>

namespace widehash {

/// The rank that writes the table of a feature.
inline int table_writer(std::size_t feature, int num_ranks) noexcept {
  return static_cast<int>(feature % static_cast<std::size_t>(num_ranks));
}

/// Drains `counted` on every rank; `merged` gets what all have counted for the features whose tables this
/// rank writes. Every rank must call it. Memory: half a MiB for each rank, or the longest value. Bytes on the
/// wire: those of the values of other ranks' features and 16 for each.
void exchange_counts(Communicator& communicator, TableBuilder& counted, TableBuilder& merged);

}  // namespace widehash
