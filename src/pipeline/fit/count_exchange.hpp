#pragma once

/// \file
/// Merges the counts of several ranks: each feature's table is written by one rank, and every rank sends it
/// what it has counted, in the order of TableBuilder::drain(), a part at a time.

#include <widehash/communicator.hpp>
#include <widehash/internal/table_builder.hpp>

#include <cstddef>

namespace widehash {

/// The rank that writes the table of a feature.
inline int table_writer(std::size_t feature, int num_ranks) noexcept {
  return static_cast<int>(feature % static_cast<std::size_t>(num_ranks));
}

/// Drains `counted` on every rank. `merged` receives the counts of all ranks for the features whose tables
/// this rank writes. Collective. Memory: half a MiB per rank, or the longest value. Bytes sent: the values of
/// the features of other ranks, plus 16 bytes per value.
void exchange_counts(Communicator& communicator, TableBuilder& counted, TableBuilder& merged);

}  // namespace widehash
